"""Which protobuf message each message class travels as; both have one name."""

from collections.abc import Mapping
from types import MappingProxyType, ModuleType
from typing import get_args

from google.protobuf.message import Message as ProtoMessage

from collude.common.protocol.kinds import AnyMessage
from collude.wire.v1 import (
    anchor_pb2,
    codef_pb2,
    control_pb2,
    deliver_pb2,
    disclose_pb2,
    join_pb2,
    release_pb2,
    secagg_pb2,
    upload_pb2,
)

_FILES: tuple[ModuleType, ...] = (
    anchor_pb2,
    codef_pb2,
    control_pb2,
    deliver_pb2,
    disclose_pb2,
    join_pb2,
    release_pb2,
    secagg_pb2,
    upload_pb2,
)


def _twin(kind: type) -> type[ProtoMessage]:
    found: list[type[ProtoMessage]] = [
        getattr(file, kind.__name__)
        for file in _FILES
        if kind.__name__ in file.DESCRIPTOR.message_types_by_name
    ]
    (twin,) = found  # a name that stands nowhere, or in two files, is a defect: said at import
    return twin


KINDS: Mapping[type, type[ProtoMessage]] = MappingProxyType({
    kind: _twin(kind) for kind in get_args(AnyMessage)
})
