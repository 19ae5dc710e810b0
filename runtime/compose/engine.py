"""The container engine behind the docker SDK: whether it answers, images, and what it is."""

import os
import platform
import socket
from typing import TYPE_CHECKING, Any

from collude.common.errors import ExtraMissing, LocalError
from collude.runtime.compose.images import TARGETS, Images
from collude.runtime.compose.services import Image
from collude.runtime.progress import Progress

if TYPE_CHECKING:
    from docker import DockerClient

_SOCKET = "unix://"
USUAL = f"{_SOCKET}/var/run/docker.sock"
ANSWER_S = 120
"""Seconds for one answer of the engine: starting a container on a busy machine takes some."""
_START = "Start Docker, or name another engine in DOCKER_HOST"
_KERNEL = (
    "import json, numpy; from collude.runtime.versions import blas_kernels; "
    "print(json.dumps(blas_kernels()))"
)


def connect() -> "DockerClient":
    """Return a client of the engine that DOCKER_HOST names, or of the usual one.

    Raises:
        ExtraMissing: the SDK is not installed, or no engine answers.
    """
    try:
        import docker  # noqa: PLC0415 -- an optional extra
    except ImportError as error:
        raise ExtraMissing(
            "the runtime compose needs the docker SDK, which is not installed",
            field="--runtime",
            hint='Install the extra "compose": pip install "collude[compose]"',
        ) from error
    try:
        _knock(os.environ.get("DOCKER_HOST") or USUAL)
        client = docker.from_env(timeout=ANSWER_S)
        client.ping()
    except (docker.errors.DockerException, OSError) as error:
        raise ExtraMissing(
            "no container engine answers", field="DOCKER_HOST", got=_short(error), hint=_START
        ) from error
    return client


def _knock(host: str) -> None:
    """Raise OSError if nobody is behind a socket of this machine: the SDK would leave it open."""
    if host.startswith(_SOCKET):
        with socket.socket(socket.AF_UNIX) as door:
            door.connect(host.removeprefix(_SOCKET))


def build_images(
    client: "DockerClient", images: Images, progress: Progress, *, anew: bool = False
) -> None:
    """Build the images of the tree that the engine does not have.

    Args:
        client: the engine.
        images: after `prepare_images`.
        progress: told at each image.
        anew: build those too that it has; unchanged layers are reused.

    Raises:
        LocalError: a build fails; the last of what it said is named.
    """
    for target in TARGETS:
        if anew or not has_image(client, images.name(target)):
            progress.step(f"the image {images.name(target)} is built")
            _build(client, images, target)


def has_image(client: "DockerClient", name: str) -> bool:
    """Return whether the engine has an image."""
    import docker  # noqa: PLC0415 -- an optional extra

    try:
        client.images.get(name)
    except docker.errors.ImageNotFound:
        return False
    return True


def image_bytes(client: "DockerClient", name: str) -> int:
    """Return the size of an image with all its layers, in bytes."""
    size: int = client.images.get(name).attrs["Size"]
    return size


def kernels_in(client: "DockerClient", image: str) -> str:
    """Return the BLAS kernels that numpy has in a container of an image, as JSON."""
    words = ["python", "-c", _KERNEL]
    told: bytes = client.containers.run(image, words, remove=True, network_mode="none")
    return told.decode().strip()


def _build(client: "DockerClient", images: Images, target: Image) -> None:
    import docker  # noqa: PLC0415 -- an optional extra

    said: list[str] = []
    try:
        steps: Any = client.api.build(
            path=str(images.context),
            target=target,
            tag=images.name(target),
            buildargs={"BASE": images.base, "VERSION": images.tag},
            rm=True,
            decode=True,
        )
        said = [step.get("error") or step.get("stream", "") for step in steps]
        failed = not has_image(client, images.name(target))
    except docker.errors.DockerException as error:
        said, failed = [_short(error)], True
    if failed:
        last = [line.strip() for line in said if line.strip()][-1:]
        raise LocalError(
            "an image cannot be built",
            field=images.name(target),
            got=last[0] if last else "no word of the engine",
            hint=f"Is there an image {images.base} for {platform.machine()}? COLLUDE_BASE_IMAGE"
            " names another",
        )


def _short(error: Exception) -> str:
    return str(error).strip().splitlines()[0][:300] if str(error).strip() else type(error).__name__
