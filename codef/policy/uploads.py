"""What a lease means for an upload of records: nats, and what they promise.

A lease is a level and a number of slots. One slot is worth I_1(level) nats, as it would be for an
answer; so under `information` all uploads together stay within the budget. `success` promises a
probability, and for vectors nats alone do not: its slots are shares of the nats after which no
attacker names a person more often (`safe_upload_nats`), if those are fewer.
"""

from dataclasses import dataclass

from collude.codef.numeric.checks import refuse
from collude.codef.policy.grant import ReleasePolicy
from collude.codef.policy.information import InformationPolicy
from collude.codef.policy.noise import noise_of
from collude.codef.policy.settings import PolicySettings
from collude.codef.policy.success import SuccessPolicy
from collude.codef.risk import Guarantee, safe_upload_nats, success_bound_vectors

ROUNDING = 1e-12
"""Relative; sums of shares stay below the whole."""


@dataclass(frozen=True)
class UploadRule:
    """Leases under one policy, as uploads use them.

    Attributes:
        nats: of one slot, by level.
        total: nats about one person that all uploads together stay within; None: not bounded.
        guarantee: one sentence for the report: what is promised, or that nothing is.
        success: the most that any attacker's success can be; None where nothing bounds it.
    """

    nats: tuple[float, ...]
    total: float | None
    guarantee: str
    success: Guarantee | None

    def of_lease(self, level: int, slots: int) -> float:
        """Return the nats of a lease; 0 if it is withheld.

        Raises:
            ParameterInvalid: no such level, or fewer slots than none.
        """
        if not -1 <= level < len(self.nats) or slots < 0:
            refuse("lease", f"a level up to {len(self.nats) - 1}, 0 slots or more", (level, slots))
        return self.nats[level] * slots if level >= 0 else 0.0


def upload_rule(policy: ReleasePolicy, settings: PolicySettings) -> UploadRule:
    """Return what leases of a policy mean for uploads.

    Args:
        policy: what `policy_of` made of the settings.
        settings: with `attributes` = 0.

    Raises:
        ParameterInvalid: a number is out of range.
    """
    noise = noise_of(settings)
    nats = tuple(noise.information(level) for level in policy.levels)
    if isinstance(policy, SuccessPolicy):
        return _safe(nats, policy, settings)
    if isinstance(policy, InformationPolicy):
        total = policy.budget * settings.unit
        return UploadRule(
            nats, total, policy.guarantee, success_bound_vectors(settings.persons, total)
        )
    return UploadRule(nats, None, policy.guarantee, None)


def _safe(nats: tuple[float, ...], policy: SuccessPolicy, settings: PolicySettings) -> UploadRule:
    safe = safe_upload_nats(settings.persons, settings.max_success)
    share = safe / policy.slots * (1 - ROUNDING)
    worth = tuple(min(each, share) for each in nats)
    total = max(worth) * policy.slots
    sentence = (
        f"No attacker who goes by the rows of one person alone names it with more than "
        f"probability {settings.max_success:g}: all uploads together tell at most {total:.4g} "
        "nats about each."
    )
    return UploadRule(worth, total, sentence, success_bound_vectors(settings.persons, total))
