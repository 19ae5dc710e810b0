"""A headless Chromium, driven over its DevTools pipe: no driver, no port, no network."""

import base64
import contextlib
import fcntl
import itertools
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome")
_HIGH = 10
"""The browser reads commands from descriptor 3 and answers on 4; ours stand well above."""

FLAGS = (
    "--headless=new",
    "--remote-debugging-pipe",
    "--no-sandbox",  # tests may run as root in a container
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--no-first-run",
    "--disable-background-networking",
)


def executable() -> str | None:
    return next(filter(None, map(shutil.which, NAMES)), None)


class Tab:
    """One page. Every call waits for its answer."""

    def __init__(self, commands, answers) -> None:
        self._commands, self._answers = commands, answers
        self._ids = itertools.count(1)
        self._rest = b""
        self._session: str | None = None
        self.requests: list[str] = []  # but for those that the page itself holds
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Network", "Accessibility"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        number = next(self._ids)
        message: dict[str, Any] = {"id": number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        self._commands.write(json.dumps(message).encode() + b"\0")
        self._commands.flush()
        while True:
            answer = self._next()
            if answer.get("id") == number:
                assert "error" not in answer, answer["error"]
                return answer["result"]

    def open(self, page: Path, width: int, height: int, *, dark: bool = False) -> None:
        """Show a file as a screen of this size would, and wait until it is laid out."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=width < 600,
        )  # fmt: skip
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call("Page.navigate", url=page.resolve().as_uri())
        while self._next().get("method") != "Page.loadEventFired":
            pass

    def value(self, script: str) -> Any:
        """What a script gives, as JSON."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        return answer["result"].get("value")

    def screenshot(self, path: Path | None = None) -> bytes:
        png = base64.b64decode(self.call("Page.captureScreenshot")["data"])
        if path is not None:
            path.write_bytes(png)
        return png

    def accessible(self) -> list[dict[str, str]]:
        """Role and name of every node that a screen reader would tell of."""
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        return [
            {part: node.get(part, {}).get("value", "") for part in ("role", "name")}
            for node in nodes
            if not node["ignored"]
        ]

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            some = self._answers.read1(1 << 16)
            assert some, "the browser ended"
            self._rest += some
        first, _, self._rest = self._rest.partition(b"\0")
        message = json.loads(first)
        if message.get("method") == "Network.requestWillBeSent":
            url = message["params"]["request"]["url"]
            self.requests += [] if url.startswith("data:") else [url]
        return message


@contextlib.contextmanager
def browser(profile: Path) -> Iterator[Tab]:
    """Start the browser with an empty profile; it has ended when the block is left."""
    ours, theirs = os.pipe(), os.pipe()
    commands_in, answers_out = (
        fcntl.fcntl(fd, fcntl.F_DUPFD, _HIGH) for fd in (ours[0], theirs[1])
    )
    for fd in (ours[0], theirs[1]):
        os.close(fd)

    def place() -> None:
        os.dup2(commands_in, 3)
        os.dup2(answers_out, 4)

    process = subprocess.Popen(
        [executable() or NAMES[0], *FLAGS, f"--user-data-dir={profile}"],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        pass_fds=(3, 4), preexec_fn=place,  # noqa: PLW1509 -- the browser wants 3 and 4; one thread
    )  # fmt: skip
    os.close(commands_in)
    os.close(answers_out)
    with open(ours[1], "wb") as commands, open(theirs[0], "rb") as answers:
        try:
            yield Tab(commands, answers)
        finally:
            process.terminate()
            process.wait(10)
