"""The analyst's uploads: which may come now, and into the post office with what came."""

from collude.analyst.session import AnalystSession
from collude.common.errors import ProtocolViolation
from collude.common.ids import Round
from collude.common.net.head import Head
from collude.common.net.post_office import PostOffice
from collude.common.protocol.parcel import Parcel


class UploadCounter:
    """An `UploadHandler` in front of the analyst's post office."""

    def __init__(self, session: AnalystSession, post: PostOffice) -> None:
        """Keep both."""
        self._session, self._post = session, post

    def expect(self, peer: str, head: Head) -> None:
        """Let an upload come in its round of this session alone.

        Raises:
            ProtocolViolation: it is of another session, or in another round.
        """
        session, refused = self._session, None
        if head.session != session.id:
            refused = ("session", session.id.hex() or "none yet", head.session.hex() or "none yet")
        elif session.round is not Round.UPLOAD or head.round != Round.UPLOAD:
            refused = ("round", f"{Round.UPLOAD.value}, in that round", head.round)
        if refused is not None:
            field, expected, got = refused
            reason = f"an upload of another {field}"
            raise ProtocolViolation(reason, party=peer, field=field, expected=expected, got=got)

    async def accept(self, peer: str, parcel: Parcel) -> None:
        """Take a whole parcel; a repetition changes nothing.

        Raises:
            ProtocolViolation: its number repeats with another content, or is too far ahead.
        """
        await self._post.accept(peer, parcel)
