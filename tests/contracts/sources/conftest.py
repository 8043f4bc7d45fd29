from tests.support.predictions.backends import made  # noqa: F401
