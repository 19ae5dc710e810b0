"""Policies on the wire: from counts that all silos share to a lease for each.

- `settings`, `noise`: the plain numbers, and what an answer leaks under each mechanism.
- `grant`: what every policy is, and what it gives out.
- `success`, `information`, `paper`: the built-in ones, as `codef/budget` has them.
- `allot`: who gets the slots. `spending`: what is charged, also for silos that were not counted.
- `uploads`: what a lease is worth where records are uploaded instead.
- `registry`: by name, others from plug-ins.
"""

from collude.codef.policy.allot import Lot, allot
from collude.codef.policy.grant import WITHHELD, Counts, Grant, ReleasePolicy
from collude.codef.policy.information import InformationPolicy
from collude.codef.policy.noise import (
    STEPS_PER_BIT,
    GaussianAnswers,
    Noise,
    RandomizedResponse,
    noise_of,
)
from collude.codef.policy.paper import PaperPolicy
from collude.codef.policy.registry import PolicyFactory, policy_of
from collude.codef.policy.settings import PolicySettings
from collude.codef.policy.spending import Spending, lease_charges
from collude.codef.policy.success import SuccessPolicy
from collude.codef.policy.uploads import UploadRule, upload_rule

__all__ = [
    "STEPS_PER_BIT",
    "WITHHELD",
    "Counts",
    "GaussianAnswers",
    "Grant",
    "InformationPolicy",
    "Lot",
    "Noise",
    "PaperPolicy",
    "PolicyFactory",
    "PolicySettings",
    "RandomizedResponse",
    "ReleasePolicy",
    "Spending",
    "SuccessPolicy",
    "UploadRule",
    "allot",
    "lease_charges",
    "noise_of",
    "policy_of",
    "upload_rule",
]
