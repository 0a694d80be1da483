"""One curve behind the counts of one or several tasks, each of which may need several facts."""

from lcstats.fit.joint.door import compare_joint, fit_joint
from lcstats.fit.joint.result import JointFit
from lcstats.fit.joint.tasks import TaskCounts

__all__ = ["JointFit", "TaskCounts", "compare_joint", "fit_joint"]
