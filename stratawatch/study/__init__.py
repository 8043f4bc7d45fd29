"""Studies: the engine's sampling and estimation in a notebook, without a database."""

from stratawatch.study.estimate_rows import StudyEstimate, StudyEstimates
from stratawatch.study.plan_rows import StudyPlan
from stratawatch.study.studies_together import change_of_studies, pool_studies
from stratawatch.study.study import Study
from stratawatch.study.study_history import PastLabel, StudyHistory

__all__ = [
    "PastLabel",
    "Study",
    "StudyEstimate",
    "StudyEstimates",
    "StudyHistory",
    "StudyPlan",
    "change_of_studies",
    "pool_studies",
]
