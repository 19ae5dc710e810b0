"""A small session for drivers and links: it counts with others, and ends when all have counted."""

from collude.common.errors import DeadlineExceeded
from collude.common.protocol.parcel import Outgoing


def said(receiver, text):
    return Outgoing(receiver, "query", b"session", text.encode())


class PingPong:
    """Sends `first` numbers, answers each number with the next one, up to `last`.

    Attributes:
        heard: sender -> the texts that came, in order.
        expired: how often a deadline passed.
        told: the errors by which it was told to end.
    """

    def __init__(self, name, peers, last, *, begins=False, patience=30.0):
        self.name, self._last, self._begins, self._patience = name, last, begins, patience
        self.heard = {peer: [] for peer in peers}
        self.expired, self.told = 0, []
        self.error = None
        self._over = False
        self.deadline = None

    @property
    def finished(self):
        done = all(texts and int(texts[-1]) >= self._last - 1 for texts in self.heard.values())
        return self._over or self.error is not None or done

    def start(self, now):
        self.deadline = now + self._patience
        return [said(peer, "0") for peer in self.heard] if self._begins else []

    def receive(self, parcel, now):
        self.deadline = now + self._patience
        text = bytes(parcel.body).decode()
        self.heard[parcel.sender].append(text)
        return [said(parcel.sender, str(int(text) + 1))] if int(text) < self._last else []

    def expire(self, now):
        if now < self.deadline:
            return []
        self.expired += 1
        late = [peer for peer, texts in self.heard.items()
                if not texts or int(texts[-1]) < self._last - 1]  # fmt: skip
        self.error = DeadlineExceeded("nothing came", party=late[0])
        return []

    def give_up(self, error, now):
        self.told.append(error)
        self.error = error
        return [said(peer, "-1") for peer in self.heard]


class Broken(PingPong):
    """One with a defect."""

    def receive(self, parcel, now):
        raise ZeroDivisionError("a defect")
