"""Copy one field between a message class and its protobuf twin, by the field's annotation."""

import math
import types
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from collude.common.protocol.fields import Array, Length, Shape
from collude.common.protocol.parcel import Body
from collude.wire.v1 import array_pb2

Payload = list[np.ndarray[Any, Any]]
"""Arrays as their bytes travel, in the order of their specs: row-major, little-endian."""

MAX_DIMENSIONS = 2
_FLOAT64 = array_pb2.ELEMENT_TYPE_FLOAT64
_INT64 = array_pb2.ELEMENT_TYPE_INT64
_DTYPES: dict[int, np.dtype[Any]] = {_FLOAT64: np.dtype("<f8"), _INT64: np.dtype("<i8")}
_ELEMENT_TYPES = {"f": _FLOAT64, "i": _INT64}


@dataclass(slots=True)
class Reader:
    """Where in the body the next array starts."""

    body: Body
    offset: int

    def array(self, spec: Any) -> np.ndarray[Any, Any]:
        """Return the next array as a read-only view.

        Raises:
            ValueError: unknown element type, too many dimensions, or too few bytes.
        """
        dtype = _DTYPES.get(spec.element_type)
        dimensions = len(spec.shape)
        if dtype is None or not 1 <= dimensions <= MAX_DIMENSIONS:
            raise ValueError(f"array of type {spec.element_type} and {dimensions} dimensions")
        shape = tuple(spec.shape)
        start, count = self.offset, math.prod(shape)
        if count * dtype.itemsize > len(self.body) - start:
            raise ValueError(f"array of shape {shape} is longer than what came")
        self.offset = start + count * dtype.itemsize
        return np.frombuffer(self.body, dtype, count, start).reshape(shape)


@dataclass(frozen=True, slots=True)
class FieldKind:
    """What an annotation says: the plain type, whether None is allowed, and the limits.

    Attributes:
        plain: `np.ndarray`, a message class, a scalar type, or a tuple's generic alias.
        optional: whether the field may be None.
        length: exact number of bytes, or None.
        dimensions: number of an array's dimensions, or None for any that the wire allows.
        element: `f8` or `i8`, or None for either.
    """

    plain: Any
    optional: bool
    length: int | None
    dimensions: int | None
    element: str | None

    @property
    def is_array(self) -> bool:
        """Whether the field is a numpy array."""
        return self.plain is np.ndarray


@cache
def field_kinds(kind: Any) -> dict[str, FieldKind]:
    """Return the kind of each field of a message class, in order."""
    hints = get_type_hints(kind, include_extras=True)
    return {f.name: _field_kind(hints[f.name]) for f in fields(kind)}


def _field_kind(hint: Any) -> FieldKind:
    optional = False
    if hint != Array and get_origin(hint) in {Union, types.UnionType}:
        (hint,) = (arg for arg in get_args(hint) if arg is not type(None))
        optional = True
    limits: tuple[Any, ...] = ()
    if get_origin(hint) is Annotated:
        hint, *rest = get_args(hint)
        limits = tuple(rest)
    length = next((x.value for x in limits if isinstance(x, Length)), None)
    dimensions = next((x.dimensions for x in limits if isinstance(x, Shape)), None)
    is_array = hint == Array or get_origin(hint) is np.ndarray
    plain = np.ndarray if is_array else hint
    return FieldKind(plain, optional, length, dimensions, _element(hint))


def _element(hint: Any) -> str | None:
    if get_origin(hint) is not np.ndarray:
        return None
    _shape, dtype = get_args(hint)
    return str(np.dtype(get_args(dtype)[0]).str[1:])


def fill(message: Any, header: Any, payload: Payload) -> None:
    """Copy every field of `message` into `header`, and put its arrays on `payload`.

    Raises:
        ValueError: a field is of the wrong type, length or shape.
    """
    for name, kind in field_kinds(message.__class__).items():
        value = getattr(message, name)
        if value is None:
            if not kind.optional:
                raise ValueError(f"{name} is missing")
            continue
        _put(header, name, value, kind, payload)


def _put(header: Any, name: str, value: Any, kind: FieldKind, payload: Payload) -> None:
    if kind.is_array:
        _put_array(getattr(header, name), _checked_array(name, value, kind), payload)
    elif get_origin(kind.plain) is tuple:
        _put_items(header, name, value, kind, payload)
    elif is_dataclass(kind.plain):
        fill(_typed(name, value, kind.plain), getattr(header, name), payload)
        getattr(header, name).SetInParent()
    else:
        setattr(header, name, _checked_scalar(name, value, kind))


def _put_items(header: Any, name: str, values: Any, kind: FieldKind, payload: Payload) -> None:
    item, target = get_args(kind.plain)[0], getattr(header, name)
    for value in _typed(name, values, tuple):
        _typed(name, value, item)
        if is_dataclass(item):
            fill(value, target.add(), payload)
        else:
            target.append(value)


def _put_array(spec: Any, array: np.ndarray[Any, Any], payload: Payload) -> None:
    spec.element_type = _ELEMENT_TYPES[array.dtype.kind]
    spec.shape.extend(array.shape)
    payload.append(np.ascontiguousarray(array, dtype=_DTYPES[spec.element_type]))


def _checked_array(name: str, value: Any, kind: FieldKind) -> np.ndarray[Any, Any]:
    elements = ("f8", "i8") if kind.element is None else (kind.element,)
    # The byte order does not matter: it is made little-endian.
    if _typed(name, value, np.ndarray).dtype.str[1:] not in elements:
        raise ValueError(f"{name} is an array of {value.dtype}, not of {' or '.join(elements)}")
    if not 1 <= value.ndim <= MAX_DIMENSIONS or kind.dimensions not in {None, value.ndim}:
        raise ValueError(f"{name} has {value.ndim} dimensions")
    return value  # type: ignore[no-any-return]  # an array: checked above


def _checked_scalar(name: str, value: Any, kind: FieldKind) -> Any:
    _typed(name, value, kind.plain)
    if kind.length is not None and len(value) != kind.length:
        raise ValueError(f"{name} has {len(value)} bytes, not {kind.length}")
    return value


def _typed(name: str, value: Any, plain: Any) -> Any:
    if not isinstance(value, plain):
        raise ValueError(f"{name} is of type {type(value).__name__}")  # noqa: TRY004 -- one kind of error for a bad field
    return value


def read(kind: Any, header: Any, reader: Reader) -> Any:
    """Return the message of class `kind` that `header` and the reader's arrays describe.

    Raises:
        ValueError: an array does not fit, or a field breaks its limits.
    """
    return kind(**{
        name: _get(header, name, field, reader) for name, field in field_kinds(kind).items()
    })


def _get(header: Any, name: str, kind: FieldKind, reader: Reader) -> Any:
    value = getattr(header, name)
    if kind.optional and not header.HasField(name):
        return None
    if kind.is_array:
        return reader.array(value)
    if get_origin(kind.plain) is tuple:
        item = get_args(kind.plain)[0]
        nested = is_dataclass(item)
        return tuple(read(item, v, reader) if nested else v for v in value)
    return read(kind.plain, value, reader) if is_dataclass(kind.plain) else value
