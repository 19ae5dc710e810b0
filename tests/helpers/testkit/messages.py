"""Every message class as a hypothesis strategy, read from the annotations of its fields."""

import types
from dataclasses import fields, is_dataclass
from typing import Annotated, Union, get_args, get_origin, get_type_hints

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from collude.common.protocol.fields import Array, Length, Shape
from collude.common.protocol.kinds import AnyMessage

KINDS = get_args(AnyMessage)
FLOATS = st.floats(width=64)
INTEGERS = st.integers(-(2**63), 2**63 - 1)
ELEMENTS = {np.float64: (np.float64, FLOATS), np.int64: (np.int64, INTEGERS)}


def messages(kind) -> st.SearchStrategy:
    """Any message of this class."""
    hints = get_type_hints(kind, include_extras=True)
    return st.builds(kind, **{f.name: _values(hints[f.name]) for f in fields(kind)})


def _values(hint) -> st.SearchStrategy:
    if hint == Array:
        return st.one_of(_arrays(np.float64, 1), _arrays(np.float64, 2), _arrays(np.int64, 2))
    if get_origin(hint) in {Union, types.UnionType}:
        return st.one_of([st.none() if a is type(None) else _values(a) for a in get_args(hint)])
    if get_origin(hint) is Annotated:
        plain, *limits = get_args(hint)
        return _limited(plain, limits)
    if get_origin(hint) is tuple:
        return st.lists(_values(get_args(hint)[0]), max_size=3).map(tuple)
    return messages(hint) if is_dataclass(hint) else PLAIN[hint]


PLAIN = {
    bool: st.booleans(),
    str: st.text(st.characters(codec="utf-8"), max_size=12),
    int: st.integers(0, 2**64 - 1),
    float: st.floats(),
    bytes: st.binary(max_size=100),
}


def _limited(plain, limits) -> st.SearchStrategy:
    (limit,) = limits
    if isinstance(limit, Length):
        return st.binary(min_size=limit.value, max_size=limit.value)
    assert isinstance(limit, Shape)
    _, dtype = get_args(plain)
    return _arrays(get_args(dtype)[0], limit.dimensions)


def _arrays(element, dimensions) -> st.SearchStrategy:
    dtype, values = ELEMENTS[element]
    shapes = st.tuples(*[st.integers(0, 4)] * dimensions)
    return hnp.arrays(dtype, shapes, elements=values)


ANY_MESSAGE = st.one_of([messages(kind) for kind in KINDS])


def same(left, right) -> bool:
    """Equal field by field; arrays and floats by their bytes, so that a NaN equals itself."""
    if type(left) is not type(right):
        return False
    if is_dataclass(left):
        return all(same(getattr(left, f.name), getattr(right, f.name)) for f in fields(left))
    if isinstance(left, tuple):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, np.ndarray):
        return (left.dtype, left.shape, left.tobytes()) == (
            right.dtype, right.shape, right.tobytes())  # fmt: skip
    return np.float64(left).tobytes() == np.float64(right).tobytes() if isinstance(
        left, float) else left == right  # fmt: skip
