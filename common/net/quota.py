"""How much one party may upload, and how much all may."""

from dataclasses import dataclass

from collude.common.errors import UploadOverQuota
from collude.common.net.head import Head
from collude.common.net.spool import Spool

GIB = 1024**3
LONGEST_UPLOAD = 2 * GIB


@dataclass(frozen=True, slots=True)
class Quota:
    """Limits in bytes; what is refused or given up does not count.

    Attributes:
        round: one party's uploads in one round of a session.
        session: one party's uploads in one session.
        spool: all parties' uploads together, finished or not.
    """

    round: int = LONGEST_UPLOAD
    session: int = 4 * GIB
    spool: int = 64 * GIB

    def check(self, head: Head, spool: Spool) -> None:
        """Return if there is room for a body of which nothing has come yet.

        Raises:
            UploadOverQuota: there is not; which limit it is over is named.
        """
        used = {"round": 0, "session": 0, "spool": 0}
        for body in spool.held(head.session):
            own = body.sender == head.sender
            used["spool"] += body.bytes
            used["session"] += own * body.bytes
            used["round"] += (own and body.round == head.round) * body.bytes
        for name, before in used.items():
            limit: int = getattr(self, name)
            if before + head.length > limit:
                raise UploadOverQuota(
                    f"the upload is over the quota of this {name}",
                    party=head.sender,
                    field=f"quota.{name}",
                    expected=f"at most {limit - before} bytes more of {limit}",
                    got=head.length,
                )
