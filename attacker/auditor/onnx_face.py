"""A frozen face network out of an ONNX file that the user names, with the hash it must have.

Documented for two files, neither of which comes with this project: see docs/auditors.md. Whom a
downloaded network was trained on is known only as far as its publisher says.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from collude.attacker.auditor.base import PublicPeople
from collude.attacker.auditor.resize import resized
from collude.common.errors import AuditorUnusable, DataUnavailable, ExtraMissing
from collude.common.geometry.arrays import FloatArray
from collude.common.scenario.sections import Auditor as Settings

NAME = "onnx-face"
_CHANNELS, _AXES = 3, 4
_MIDDLE, _SCALE, _BRIGHTEST = 127.0, 128.0, 255.0
_WHY = "Set auditor.model to the file and auditor.sha256 to its hash; see docs/auditors.md."


@dataclass(frozen=True, eq=False, repr=False)
class OnnxFace:
    """A frozen face network.

    Attributes:
        session: of onnxruntime; one input (batch, 3, height, width), one output (batch, e).
        image_shape: (height, width) of the pictures that come in, row by row.
        input_shape: (batch, height, width) of the network; batch is None if it takes any.
        sha256: of the file.
        details: the file's name and the input's size.
    """

    session: Any
    image_shape: tuple[int, int]
    input_shape: tuple[int | None, int, int]
    sha256: str
    details: Mapping[str, float | str] = field(default_factory=dict)
    name: str = NAME

    def embed(self, images: FloatArray) -> FloatArray:
        """Return (n, e) vectors of (n, D) grey pictures in [0, 1]; values outside are clipped.

        The grey value stands in all three channels, as 8-bit integers, scaled by
        (value - 127) / 128.

        Raises:
            AuditorUnusable: the pictures have another size, or the network fails on them.
        """
        height, width = self.image_shape
        if images.shape[1] != height * width:
            raise AuditorUnusable(
                "the auditor looks at pictures",
                field="auditor.name",
                expected=f"{height} x {width} values a row",
                got=images.shape[1],
            )
        batch, *size = self.input_shape
        step = batch or len(images)
        parts = [
            self._seen(images[first : first + step], step, (size[0], size[1]))
            for first in range(0, len(images), step)
        ]
        return np.concatenate(parts)

    def _seen(self, images: FloatArray, step: int, size: tuple[int, int]) -> FloatArray:
        squares = np.clip(images, 0.0, 1.0).reshape(-1, *self.image_shape) * _BRIGHTEST
        bytes_ = np.rint(resized(squares, size))
        scaled = ((bytes_ - _MIDDLE) / _SCALE).astype(np.float32)
        tensor = np.repeat(scaled[:, None], _CHANNELS, axis=1)
        short = step - len(tensor)  # a network of a fixed batch gets black pictures behind
        filled = np.pad(tensor, ((0, short), (0, 0), (0, 0), (0, 0)))
        (name,) = (given.name for given in self.session.get_inputs())
        try:
            (vectors,) = self.session.run(None, {name: filled})
        except Exception as error:  # whatever the file's own operators raise
            raise AuditorUnusable(
                "the network fails on a picture", field="auditor.model", got=str(error)[:200]
            ) from error
        return np.asarray(vectors, dtype=np.float64).reshape(step, -1)[: len(images)]


def onnx_face(public: PublicPeople, settings: Settings) -> OnnxFace:
    """Return the network in `settings.model`, if it has the hash `settings.sha256`.

    Raises:
        AuditorUnusable: records are no pictures, no file or hash is named, the hash is another,
            or the file is no such network.
        DataUnavailable: there is no such file.
        ExtraMissing: onnxruntime is not installed.
    """
    if public.image_shape is None:
        raise AuditorUnusable(
            f"{NAME} looks at pictures, and the records of this data set are none",
            field="auditor.name",
        )
    content, found = _content(settings)
    session = _session(content)
    shape = _input_shape(session)
    return OnnxFace(
        session=session,
        image_shape=public.image_shape,
        input_shape=shape,
        sha256=found,
        details=MappingProxyType({
            "file": Path(settings.model or "").name,
            "input": f"{shape[1]} x {shape[2]}",
        }),
    )


def _content(settings: Settings) -> tuple[bytes, str]:
    if settings.model is None or settings.sha256 is None:
        raise AuditorUnusable(
            f"{NAME} needs a file and its hash",
            field="auditor.model" if settings.model is None else "auditor.sha256",
            hint=_WHY,
        )
    path = Path(settings.model).expanduser()
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DataUnavailable(
            "the auditor's file cannot be read",
            field="auditor.model",
            got=f"{path}: {error.strerror}",
            hint=_WHY,
        ) from error
    found = hashlib.sha256(content).hexdigest()
    if found != settings.sha256:
        raise AuditorUnusable(
            "the auditor's file is another one than was named",
            field="auditor.sha256",
            expected=settings.sha256,
            got=found,
        )
    return content, found


def _session(content: bytes) -> Any:  # onnxruntime has no stubs
    try:
        import onnxruntime  # noqa: PLC0415 -- an optional extra
    except ImportError as error:
        raise ExtraMissing(
            f"{NAME} needs onnxruntime, which is not installed",
            field="auditor.name",
            hint='Install the extra "onnx": pip install "collude[onnx]"',
        ) from error
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the loader raises classes of its own, without a common base
        raise AuditorUnusable(
            "the auditor's file is no network that onnxruntime can load",
            field="auditor.model",
            got=str(error)[:200],
        ) from error


def _input_shape(session: Any) -> tuple[int | None, int, int]:
    inputs, outputs = session.get_inputs(), session.get_outputs()
    shape = inputs[0].shape if len(inputs) == len(outputs) == 1 else []
    if (
        len(shape) != _AXES
        or shape[1] != _CHANNELS
        or not all(isinstance(n, int) for n in shape[2:])
    ):
        raise AuditorUnusable(
            "the auditor's network does not take pictures",
            field="auditor.model",
            expected="one input (batch, 3, height, width), one output",
            got=f"{len(inputs)} inputs, the first of shape {shape}; {len(outputs)} outputs",
        )
    batch = shape[0] if isinstance(shape[0], int) else None
    return batch, shape[2], shape[3]
