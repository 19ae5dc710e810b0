"""A consortium whose parties somebody starts one by one, as on several machines."""

import contextlib
import json
import shutil
import signal
import socket
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from testkit.command import QUICKSTART, Said, collude
from testkit.watching import Hook, ending, has_entered, has_received, start, until

from collude.common.data import load_dataset, save_share, split
from collude.common.ids import ANALYST, ATTACKER, participant_name
from collude.common.scenario import load_scenario


def free_ports(count: int) -> list[int]:
    """Return ports that nobody listened on a moment ago."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


class Consortium:
    """What `collude pki init` makes, with a scenario beside it and ports that are free."""

    def __init__(
        self,
        folder: Path,
        participants: int = 3,
        changes: Mapping[str, str] | None = None,
        ports: Sequence[int] = (),
    ):
        self.folder = folder
        self.ports = ports or free_ports(participants + 2)
        self.participants = tuple(participant_name(i) for i in range(participants))
        self.parties = (ANALYST, *self.participants, ATTACKER)
        self._started: dict[str, subprocess.Popen[str]] = {}
        named = [word for party in self.parties for word in ("--party", party)]
        said = collude("pki", "init", folder, *named)
        assert said.code == 0, said.err
        self._take_free_ports()
        text = QUICKSTART.read_text()
        for old, new in (changes or {}).items():
            assert old in text
            text = text.replace(old, new)
        (folder / "scenario.toml").write_text(text)

    def give_records(self) -> None:
        """Give each participant a file of its own, as in the field: it then loads no data set."""
        scenario = load_scenario(self.folder / "scenario.toml")
        for name, share in split(load_dataset(scenario), scenario).items():
            save_share(share, self.folder / name / "records.npz")
            text = self.config(name).read_text()
            head = "[party]\n"
            self.config(name).write_text(text.replace(head, f'{head}records = "records.npz"\n'))

    def _take_free_ports(self) -> None:
        for party in self.parties:
            text = self.config(party).read_text()
            for number, port in enumerate(self.ports, start=7400):
                text = text.replace(f":{number}", f":{port}")
            self.config(party).write_text(text)

    def config(self, party: str) -> Path:
        return self.folder / party / "party.toml"

    def state(self, party: str) -> Path:
        return self.folder / party / "state"

    def start(self, party: str, command: str | None = None, env: Mapping[str, str] = {}) -> None:
        """Start a party by the command that is for it."""
        command = command or (party if party in {ANALYST, ATTACKER} else "participant")
        words = [command, "--config", self.config(party), "--json"]
        self._started[party] = start(*words, env=env)

    def start_held(self, *parties: str) -> Hook:
        """Start parties that wait, loaded and ready, until the hook releases them."""
        hook = Hook(self.folder.with_name(f"{self.folder.name}-hook"))
        env = hook.environ(hold=parties)
        for party in parties:
            self.start(party, env=env)
        for party in parties:
            hook.until_held(party)
        return hook

    def kill(self, party: str, number: int = signal.SIGKILL) -> None:
        self._started[party].send_signal(number)

    def ended(self, party: str) -> Said:
        """Wait for a party's end."""
        return ending(self._started[party])

    def outcome(self, party: str) -> dict[str, object]:
        return json.loads((self.state(party) / "outcome.json").read_text())

    def until_listening(self) -> None:
        """Wait until the analyst serves."""
        until((self.state(ANALYST) / "listening").exists, "the analyst listens")

    def until_received(self, round_: str, sender: str) -> None:
        """Wait until the analyst has a participant's message."""
        log = self.state(ANALYST) / "log.jsonl"
        until(lambda: has_received(log, round_, sender), f"{sender} has sent its {round_}")

    def until_entered(self, round_: str) -> None:
        """Wait until the analyst stands in a round."""
        log = self.state(ANALYST) / "log.jsonl"
        until(lambda: has_entered(log, round_), f"the analyst enters {round_}")

    def swap(self, party: str, other: "Consortium") -> None:
        """Put another consortium's folder in the place of a party's."""
        shutil.rmtree(self.folder / party)
        shutil.copytree(other.folder / party, self.folder / party)

    def close(self) -> None:
        """End what still lives."""
        for process in self._started.values():
            if process.poll() is None:
                process.kill()
            process.communicate()
