"""What a silo answers about persons: exactly drawn, kept before it is sent, counted, receipted.

- `bits`, `exact`, `samplers`: fair bits, exact probabilities, noise by mechanism.
- `handles`: how a querier names whom it does not know.
- `book`, `book_file`: each question is answered once. `used`: sessions are entered once.
- `lease`, `held`, `questions`, `responder`: who answers what.
- `receipts`, `signing`: what silo and querier both compute of an answer.

Nothing here reads a clock or a network. `journal` writes files, for `book_file` and `used` alone.
"""

from collude.codef.release.bits import AnswerBits, Bits
from collude.codef.release.book import AnswerBook, MemoryBook, Remembered
from collude.codef.release.book_file import FileBook
from collude.codef.release.handles import HandleTable, handles_of
from collude.codef.release.held import Held
from collude.codef.release.lease import Lease, checked_lease
from collude.codef.release.responder import Answerer, Frozen, Responder
from collude.codef.release.samplers import Sampler, sampler_of
from collude.codef.release.used import FileSessions, MemorySessions, UsedSessions

__all__ = [
    "AnswerBits",
    "AnswerBook",
    "Answerer",
    "Bits",
    "FileBook",
    "FileSessions",
    "Frozen",
    "HandleTable",
    "Held",
    "Lease",
    "MemoryBook",
    "MemorySessions",
    "Remembered",
    "Responder",
    "Sampler",
    "UsedSessions",
    "checked_lease",
    "handles_of",
    "sampler_of",
]
