"""What was answered is on the disk before it is sent; damage is refused, a torn end is not."""

import os
import signal
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from testkit.disk import files_up_to

from collude.codef.release import FileBook, FileSessions, MemoryBook, MemorySessions, Remembered
from collude.codef.release.journal import Journal
from collude.common.errors import DataInvalid, SessionUsed

SILO = "participant-0"
SOME = [Remembered(0, 3, 1, 0, 1), Remembered(0, 3, 2, 0, 0), Remembered(1, 3, 1, 1, -4_194_304)]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "answers"


def filled(path) -> FileBook:
    book = FileBook(path, SILO)
    book.keep(SOME[:2])
    book.keep([])
    book.keep(SOME[2:])
    return book


def reopened(path) -> FileBook:
    return FileBook(path, SILO)


@pytest.mark.parametrize("made", [lambda _: MemoryBook(), lambda path: FileBook(path, SILO)])
def test_a_book_knows_what_it_kept_and_nothing_else(made, path):
    book = made(path)
    assert book.known(0, 3, 1) is None
    book.keep(SOME)
    assert [book.known(*answer[:3]) for answer in SOME] == [answer[3:] for answer in SOME]
    assert [book.known(0, 3, 3), book.known(2, 3, 1), book.known(0, 1, 3)] == [None] * 3
    assert len(book) == 3
    assert repr(book) in {"MemoryBook()", "FileBook()"}


def test_a_book_outlives_its_process(path):
    filled(path).close()
    assert [reopened(path).known(*answer[:3]) for answer in SOME] == [a[3:] for a in SOME]


def test_a_book_is_its_owners_alone(path):
    filled(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o644)
    reopened(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_human_can_read_it(path):
    filled(path)
    first, *rows = path.read_text().splitlines()
    assert first == "collude answers 1 participant-0"
    assert [row.rsplit(" ", 1)[0] for row in rows] == ["0 3 1 0 1", "0 3 2 0 0", "1 3 1 1 -4194304"]


# --- crashes --------------------------------------------------------------------------------


@given(st.data())
def test_a_file_cut_anywhere_in_its_end_keeps_all_whole_lines(data):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "answers"
        filled(path).close()
        whole = path.read_bytes()
        cut = data.draw(st.integers(0, len(whole)))
        tail = data.draw(st.binary(max_size=5).filter(lambda tail: b"\n" not in tail))
        lines = whole[:cut].count(b"\n")
        path.write_bytes(whole[:cut] + (tail if lines else b""))
        book = reopened(path)
        kept = max(0, lines - 1)
        assert len(book) == kept
        # what was cut off can be answered anew, and is then there for good
        book.keep(SOME[kept:])
        book.close()
        again = reopened(path)
        assert len(again) == 3
        again.close()
        assert path.read_bytes() == whole


def test_it_is_on_the_disk_when_keep_returns(path, monkeypatch):
    """At the last fsync the file held every answer: nothing is written after it."""
    book, seen = FileBook(path, SILO), []
    synced = os.fsync
    monkeypatch.setattr(os, "fsync", lambda file: (synced(file), seen.append(path.read_bytes())))
    book.keep(SOME)
    assert seen
    assert seen[-1] == path.read_bytes()
    assert seen[-1].count(b"\n") == 4


WRITER = """
import sys
from pathlib import Path
from collude.codef.release import FileBook, Remembered
book = FileBook(Path(sys.argv[1]), "participant-0")
for person in range(10**6):
    book.keep([Remembered(0, person, 0, 0, person % 2)])
    print(person, flush=True)
"""


@pytest.mark.processes
def test_a_killed_process_forgets_nothing_that_it_said(path):
    words = [sys.executable, "-c", WRITER, str(path)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as writer:
        for _ in range(40):
            last = int(writer.stdout.readline())
        writer.send_signal(signal.SIGKILL)
        said = [last, *map(int, writer.stdout.read().splitlines())]
    book = reopened(path)
    assert all(book.known(0, person, 0) == (0, person % 2) for person in range(said[-1] + 1))
    assert len(book) - (said[-1] + 1) in {0, 1}  # one more may be kept and not yet said


def test_a_full_disk_leaves_the_book_as_it_was(path):
    book = filled(path)
    before = path.read_bytes()
    more = [Remembered(0, person, 0, 0, 1) for person in range(100, 200)]
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        with files_up_to(len(before) + 50), pytest.raises(DataInvalid, match=SILO):
            book.keep(more)
    finally:
        signal.signal(signal.SIGXFSZ, handler)
    assert path.read_bytes() == before
    assert len(book) == 3
    assert book.known(*more[0][:3]) is None
    book.keep(more)  # there is room again
    book.close()
    assert len(reopened(path)) == 103


def test_a_book_that_cannot_be_mended_takes_nothing_more(path, monkeypatch):
    book = filled(path)

    def fails(*_args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fails)
    for _ in range(2):
        with pytest.raises(DataInvalid):
            book.keep([Remembered(0, 9, 0, 0, 1)])
    monkeypatch.undo()
    with pytest.raises(DataInvalid, match="closed"):
        book.keep([Remembered(0, 9, 0, 0, 1)])
    assert book.known(0, 9, 0) is None


# --- two processes --------------------------------------------------------------------------


def test_a_file_that_is_in_use_is_refused_and_not_touched(path):
    """Not even a torn end is cut off: it is what the other process is just writing."""
    book = filled(path)
    with path.open("ab") as under_way:
        under_way.write(b"0 9 0 0")
    kept = path.read_bytes()
    with pytest.raises(DataInvalid, match="in use") as refused:
        reopened(path)
    assert (refused.value.party, refused.value.field) == (SILO, "answers")
    assert path.read_bytes() == kept
    book.close()
    assert len(reopened(path)) == 3


@pytest.mark.parametrize("content", [b"x", b"collude answers 1 participant-0\nbroken 0\n"])
def test_who_was_refused_holds_no_lock(content, path):
    path.write_bytes(content)
    for _ in range(2):
        with pytest.raises(DataInvalid, match="line") as refused:  # noqa: F841 -- holds all frames
            reopened(path)


@pytest.mark.processes
def test_two_processes_do_not_share_a_book_and_a_killed_one_lets_go_of_it(path):
    words = [sys.executable, "-c", WRITER, str(path)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as writer:
        writer.stdout.readline()
        second = subprocess.run(words, capture_output=True, text=True, check=False)
        assert "is in use" in second.stderr
        assert not second.stdout
        with pytest.raises(DataInvalid, match="in use"):
            reopened(path)
        writer.send_signal(signal.SIGKILL)
        writer.stdout.read()
    assert reopened(path).known(0, 0, 0) == (0, 0)


# --- damage ---------------------------------------------------------------------------------


def damaged(change):
    def apply(lines: list[bytes]) -> list[bytes]:
        change(lines)
        return lines

    return apply


DAMAGE = {
    "a digit of an answer": (2, lambda rows: rows.__setitem__(1, b"9" + rows[1][1:])),
    "a value": (3, lambda rows: rows.__setitem__(2, rows[2].replace(b"0 3 2 0 0", b"0 3 2 0 1"))),
    "a checksum": (3, lambda rows: rows.__setitem__(2, rows[2][:-1] + b"x")),
    "a line left out": (2, lambda rows: rows.pop(1)),
    "two lines in another order": (2, lambda rows: rows.insert(1, rows.pop(2))),
    "a line twice": (3, lambda rows: rows.insert(1, rows[1])),
    "an empty line": (2, lambda rows: rows.insert(1, b"")),
    "zeros": (3, lambda rows: rows.__setitem__(2, bytes(len(rows[2])))),
    "another party": (1, lambda rows: rows.__setitem__(0, b"collude answers 1 participant-1")),
    "another kind": (1, lambda rows: rows.__setitem__(0, b"collude sessions 1 participant-0")),
    "another version": (1, lambda rows: rows.__setitem__(0, b"collude answers 2 participant-0")),
    "no header": (1, lambda rows: rows.pop(0)),
    "not text": (1, lambda rows: rows.__setitem__(0, b"\xff\xfe")),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_in_the_middle_is_refused_by_party_and_line(damage, path):
    line, change = DAMAGE[damage]
    filled(path).close()
    rows = path.read_bytes().splitlines()
    change(rows)
    path.write_bytes(b"".join(row + b"\n" for row in rows))
    kept = path.read_bytes()
    with pytest.raises(DataInvalid) as refused:
        reopened(path)
    assert refused.value.party == SILO
    assert refused.value.field == f"answers, line {line}"
    assert path.read_bytes() == kept  # nothing was mended that a person must look at


@pytest.mark.parametrize(
    "line", ["0 3 1 0", "0 3 1 0 1 1", "0 -3 1 0 1", "0 3 1 -1 0", "a b c d e"]
)
def test_a_line_that_is_no_answer_is_refused(line, path):
    journal = Journal(path, "answers", SILO)
    journal.append(["0 3 1 0 1", line])
    journal.close()
    with pytest.raises(DataInvalid) as refused:
        reopened(path)
    assert refused.value.field == "answers, line 3"


def test_a_question_answered_twice_is_refused(path):
    book = filled(path)
    book.keep([SOME[0]._replace(value=0)])  # nobody who asks the book first does this
    book.close()
    with pytest.raises(DataInvalid, match="line 5"):
        reopened(path)


@pytest.mark.parametrize(
    "content", [b"x", b"collude answers 1 participant-1", b"collude answers 1 x"]
)
def test_a_file_of_somebody_else_is_not_touched(content, path):
    path.write_bytes(content)
    with pytest.raises(DataInvalid, match="line 1"):
        reopened(path)
    assert path.read_bytes() == content


def test_a_book_in_no_folder_is_refused(tmp_path):
    with pytest.raises(DataInvalid, match=SILO):
        FileBook(tmp_path / "nowhere" / "answers", SILO)


# --- sessions -------------------------------------------------------------------------------

A, B = bytes(range(32)), bytes(32)


@pytest.mark.parametrize("made", [lambda _: MemorySessions(), lambda p: FileSessions(p, SILO)])
def test_a_session_is_entered_once(made, path):
    used = made(path)
    used.use(A)
    used.use(B)
    for session in (A, B):
        with pytest.raises(SessionUsed, match=session.hex()):
            used.use(session)


def test_a_session_is_used_also_after_a_restart(path):
    FileSessions(path, SILO).use(A)
    again = FileSessions(path, SILO)
    with pytest.raises(SessionUsed):
        again.use(A)
    again.use(B)
    again.close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(SessionUsed):
        FileSessions(path, SILO).use(B)


def test_a_session_is_on_the_disk_when_use_returns(path, monkeypatch):
    used, seen = FileSessions(path, SILO), []
    synced = os.fsync
    monkeypatch.setattr(os, "fsync", lambda file: (synced(file), seen.append(path.read_text())))
    used.use(A)
    assert seen
    assert A.hex() in seen[-1]


def test_a_session_that_cannot_be_noted_is_not_entered(path, monkeypatch):
    used = FileSessions(path, SILO)

    def fails(*_args):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "write", fails)
    with pytest.raises(DataInvalid):
        used.use(A)
    monkeypatch.undo()
    used.use(A)  # nothing was entered, so it may be tried


def test_a_record_of_sessions_that_is_damaged_is_refused(path):
    used = FileSessions(path, SILO)
    used.use(A)
    used.use(B)
    used.close()
    rows = path.read_text().splitlines()
    path.write_text("\n".join([rows[0], rows[2]]) + "\n")
    with pytest.raises(DataInvalid, match="line 2"):
        FileSessions(path, SILO)
