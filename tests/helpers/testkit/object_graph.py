"""Everything that an object holds, however deep, and whether something secret is in it."""

import gc
import types
from collections.abc import Iterator, Mapping
from io import BytesIO

import numpy as np

# From a function or a class all of the program can be reached: what is held is held by instances.
NOT_HELD = (types.ModuleType, type, types.BuiltinFunctionType, types.CodeType, types.FrameType)


def held_by(root) -> Iterator[object]:
    """Every object that can be reached from `root`, but for modules, classes and globals."""
    seen, waiting = set(), [root]
    while waiting:
        found = waiting.pop()
        if id(found) in seen or isinstance(found, NOT_HELD):
            continue
        seen.add(id(found))
        yield found
        if isinstance(found, types.FunctionType):
            waiting += [found.__closure__, found.__defaults__, found.__kwdefaults__]
        elif isinstance(found, np.ndarray):
            waiting.append(found.base)
        else:
            waiting += gc.get_referents(found)


def content(found) -> bytes:
    """What an object is as bytes, if it is something that holds numbers or bytes."""
    if isinstance(found, bytes | bytearray):
        return bytes(found)
    if isinstance(found, memoryview):
        return found.tobytes()
    if isinstance(found, BytesIO):
        return found.getvalue()
    if isinstance(found, np.ndarray) and found.dtype.kind in "iu":
        return found.astype("<i8").tobytes()
    if isinstance(found, list | tuple) and found and all(type(x) is int for x in found):
        return b"".join(x.to_bytes(8, "little", signed=True) for x in found if abs(x) < 1 << 62)
    return b""


def needles_of(counts, nonce) -> set[bytes]:
    """A vector of counts in every width that it may be held in, and what opens its commitment."""
    return {np.asarray(counts).astype(width).tobytes() for width in ("<u4", "<u8")} | {nonce}


def finds(root, needles: Mapping[str, set[bytes]]) -> set[str]:
    """The names of those whose needles are somewhere in what `root` holds."""
    found = set()
    for each in held_by(root):
        inside = content(each)
        if inside:
            found |= {name for name, some in needles.items() if any(n in inside for n in some)}
    return found
