"""What a querier was told, out of recorded transcripts: its own, and those of the silos it asked.

A transcript holds what its party received: the querier's has windows and answers, a silo's has the
queries. A silo replies to queries in order; the signature of an answer says to which it belongs.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from collude.attacker.releases.channels import Integers
from collude.attacker.releases.knowledge import Knowledge
from collude.attacker.releases.link import split_handles
from collude.attacker.releases.view import Answers, ReleaseView, joined
from collude.codef.release.signing import check_answer
from collude.common.errors import IdentityRefused, RunDirectoryInvalid
from collude.common.ids import ATTACKER, Round
from collude.common.protocol.codec import decode_message, digest_of
from collude.common.protocol.parcel import Parcel
from collude.common.protocol.release_messages import HANDLE_BYTES, WITHHELD, Answer, Query, Window
from collude.common.transcript import read_parcels


def view_from_transcripts(
    folder: Path,
    knowledge: Sequence[Knowledge],
    keys: Mapping[str, bytes],
    querier: str = ATTACKER,
) -> list[ReleaseView]:
    """Return the querier's views of a recorded run, one for each period in which windows opened.

    Answers stand in the order of their arrival: about one handle that is the order in which they
    were asked for, wherever one thing was asked at a time.

    Args:
        folder: of the transcripts.
        knowledge: of the persons of each period, in order.
        keys: silo -> raw Ed25519 key, as the roster pins it.
        querier: name.

    Raises:
        RunDirectoryInvalid: a transcript cannot be read, an answer belongs to no recorded query,
            or there are more periods than are known.
    """
    heard = list(read_parcels(folder, querier))
    sessions = list(dict.fromkeys(p.session for p in heard if p.round == Round.WINDOW))
    if len(sessions) > len(knowledge):
        raise RunDirectoryInvalid(
            "the transcripts hold more periods than are known",
            party=querier,
            field=str(folder),
            expected=len(knowledge),
            got=len(sessions),
        )
    asked = {silo: list(_queries(read_parcels(folder, silo), querier)) for silo in keys}
    return [
        _Period(known, keys, querier).view(
            [parcel for parcel in heard if parcel.session == session],
            {silo: [q for s, q in queries if s == session] for silo, queries in asked.items()},
        )
        for session, known in zip(sessions, knowledge, strict=False)
    ]


def _queries(parcels: Iterable[Parcel], querier: str) -> Iterator[tuple[bytes, Query]]:
    for parcel in parcels:
        if parcel.sender == querier and parcel.round == Round.QUERY:
            message = decode_message(parcel.body, querier)
            if isinstance(message, Query):
                yield parcel.session, message


class _Period:
    def __init__(self, knowledge: Knowledge, keys: Mapping[str, bytes], querier: str) -> None:
        self._knowledge, self._keys, self._querier = knowledge, keys, querier

    def view(self, heard: Sequence[Parcel], asked: Mapping[str, list[Query]]) -> ReleaseView:
        shown: list[tuple[str, bytes]] = []
        answered: list[tuple[str, Answer]] = []
        for parcel in heard:
            message = decode_message(parcel.body, parcel.sender)
            if isinstance(message, Window) and message.handles:
                shown.append((parcel.sender, message.handles))
            elif isinstance(message, Answer):
                answered.append((parcel.sender, message))
        handles = _agreed(shown)
        places = {handle: place for place, handle in enumerate(split_handles(handles))}
        parts = [
            self._told(silo, answer, self._query(silo, answer, asked[silo]), places)
            for silo, answer in answered
        ]
        return ReleaseView(self._knowledge, split_handles(handles), joined(parts))

    def _query(self, silo: str, answer: Answer, queries: list[Query]) -> Query:
        """Return the query that this answers, and forget those before: they had no answer.

        Raises:
            RunDirectoryInvalid: there is none.
        """
        while queries:
            query = queries.pop(0)
            try:
                check_answer((silo, self._querier), digest_of(query), answer, self._keys[silo])
            except IdentityRefused:
                continue
            return query
        raise RunDirectoryInvalid(
            "an answer belongs to no recorded query", party=silo, field=f"epoch {answer.epoch}"
        )

    def _told(
        self, silo: str, answer: Answer, query: Query, places: Mapping[bytes, int]
    ) -> Answers:
        """Return what was told.

        Raises:
            RunDirectoryInvalid: it is about a handle that most silos did not show.
        """
        told = np.flatnonzero(answer.levels != WITHHELD)
        asked = split_handles(query.handles)
        if not places.keys() >= {asked[i] for i in told.tolist()}:
            raise RunDirectoryInvalid(
                "an answer is about a handle that was not shown",
                party=silo,
                field=f"epoch {answer.epoch}",
            )
        handle: Integers = np.array([places[asked[i]] for i in told.tolist()], dtype=np.int64)
        one = np.ones_like(handle)
        return Answers(
            handle=handle,
            silo=one * self._knowledge.silos.index(silo),
            attribute=query.attributes[told],
            value=answer.values[told],
            level=answer.levels[told],
            epoch=one * answer.epoch,
        )


def _agreed(shown: Iterable[tuple[str, bytes]]) -> bytes:
    """Return the handles that most silos showed; of equally many, those of the first by name."""
    first: dict[str, bytes] = {}
    for silo, handles in shown:
        if len(handles) % HANDLE_BYTES == 0:
            first.setdefault(silo, handles)
    votes = Counter(first.values())
    return max((first[silo] for silo in sorted(first)), key=votes.__getitem__, default=b"")
