"""The messages of secure aggregation, which are messages of the wire like all others."""

from collude.common.protocol.secagg_messages import (
    AdvertisedKeys,
    AdvertiseKeys,
    Consistency,
    InputsReceived,
    MaskedInput,
    NamedKeys,
    NamedShare,
    NamedView,
    SharedKeys,
    ShareEnvelope,
    ShareKeys,
    ToClient,
    ToServer,
    Unmask,
    UnmaskRequest,
)

__all__ = [
    "AdvertiseKeys",
    "AdvertisedKeys",
    "Consistency",
    "InputsReceived",
    "MaskedInput",
    "NamedKeys",
    "NamedShare",
    "NamedView",
    "ShareEnvelope",
    "ShareKeys",
    "SharedKeys",
    "ToClient",
    "ToServer",
    "Unmask",
    "UnmaskRequest",
]
