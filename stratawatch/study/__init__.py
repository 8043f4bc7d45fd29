"""Studies: the engine's sampling and estimation in a notebook, without a database."""

from stratawatch.study.earlier_labels import PastLabel, StudyHistory
from stratawatch.study.estimate_rows import StudyEstimate, StudyEstimates
from stratawatch.study.plan_rows import StudyPlan
from stratawatch.study.study import Study

__all__ = ["PastLabel", "Study", "StudyEstimate", "StudyEstimates", "StudyHistory", "StudyPlan"]
