"""One message of each class with every field filled, small and fixed."""

from dataclasses import fields, is_dataclass
from typing import Annotated, get_args, get_origin, get_type_hints

import numpy as np

from collude.common.protocol.fields import Array, Length, Shape
from collude.common.protocol.kinds import AnyMessage

KINDS = get_args(AnyMessage)


def example(kind):
    """A message of this class in which no field has its default."""
    hints = get_type_hints(kind, include_extras=True)
    return kind(**{f.name: _value(f.name, hints[f.name]) for f in fields(kind)})


def _value(name, hint):
    if hint == Array:
        return np.array([[1.5, -2.0]])
    if get_origin(hint) is Annotated:
        plain, limit = get_args(hint)
        return _limited(name, plain, limit)
    if get_origin(hint) is tuple:
        return (_value(name, get_args(hint)[0]), _value(name, get_args(hint)[0]))
    if type(None) in get_args(hint):
        return _value(name, next(a for a in get_args(hint) if a is not type(None)))
    if is_dataclass(hint):
        return example(hint)
    return {str: name, int: 300, bool: True, float: 0.25, bytes: name.encode()}[hint]


def _limited(name, plain, limit):
    if isinstance(limit, Length):
        return (name.encode() * limit.value)[: limit.value]
    assert isinstance(limit, Shape)
    element = get_args(get_args(plain)[1])[0]
    return np.arange(1, 7, dtype=element)[: 2**limit.dimensions].reshape((2,) * limit.dimensions)


EXAMPLES = {kind: example(kind) for kind in KINDS}
