"""The messages of secure aggregation. Silos stand in them by name, in the order of their names."""

from dataclasses import dataclass

from collude.common.protocol.fields import Bytes32, Signature


@dataclass(frozen=True, slots=True)
class AdvertiseKeys:
    """advertise_keys, silo -> coordinator: keys of this session, and what they are for.

    Attributes:
        roster: hash of the roster that the silo runs with.
        parameters: hash of the terms that the silo runs with.
        envelope_key: X25519; shares travel to its holder under it.
        mask_key: X25519; pairs of silos make their common mask of it.
        self_mask_hash: commits to the seed of the silo's own mask.
        signature: Ed25519, by the silo, over all of it with the session and the silo's name.
    """

    roster: Bytes32
    parameters: Bytes32
    envelope_key: Bytes32
    mask_key: Bytes32
    self_mask_hash: Bytes32
    signature: Signature


@dataclass(frozen=True, slots=True)
class NamedKeys:
    """One silo's keys, as the coordinator shows them."""

    name: str
    keys: AdvertiseKeys


@dataclass(frozen=True, slots=True)
class AdvertisedKeys:
    """advertise_keys, coordinator -> silo: the keys of all silos that sent some (U0)."""

    silos: tuple[NamedKeys, ...]


@dataclass(frozen=True, slots=True)
class ShareEnvelope:
    """Two shares for one silo, sealed: of the sender's self-mask seed and mask-key seed."""

    sender: str
    recipient: str
    ciphertext: bytes


@dataclass(frozen=True, slots=True)
class ShareKeys:
    """share_keys, silo -> coordinator: one envelope for every neighbour in U0."""

    envelopes: tuple[ShareEnvelope, ...]


@dataclass(frozen=True, slots=True)
class SharedKeys:
    """share_keys, coordinator -> silo: who shared (U1), and the envelopes for this silo."""

    silos: tuple[str, ...]
    envelopes: tuple[ShareEnvelope, ...]


@dataclass(frozen=True, slots=True)
class MaskedInput:
    """masked_input, silo -> coordinator: the masked counts, one little-endian word a person."""

    words: bytes


@dataclass(frozen=True, slots=True)
class InputsReceived:
    """masked_input, coordinator -> silo: whose masked counts came in time (U2)."""

    silos: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Consistency:
    """consistency, silo -> coordinator: signed hash of the keys, U1 and U2 that it was shown."""

    view: Bytes32
    signature: Signature


@dataclass(frozen=True, slots=True)
class NamedView:
    """One silo's signed view, as the coordinator shows it."""

    name: str
    consistency: Consistency


@dataclass(frozen=True, slots=True)
class UnmaskRequest:
    """consistency, coordinator -> silo: whose self mask (alive) and mask key (dead) to open."""

    alive: tuple[str, ...]
    dead: tuple[str, ...]
    views: tuple[NamedView, ...]


@dataclass(frozen=True, slots=True)
class NamedShare:
    """A share of one silo's secret: 32 bytes, a number below 2^255 - 19, little-endian."""

    name: str
    share: Bytes32


@dataclass(frozen=True, slots=True, repr=False)
class Unmask:
    """unmask, silo -> coordinator: shares of alive silos' self masks, of dead ones' mask keys."""

    self_masks: tuple[NamedShare, ...]
    mask_keys: tuple[NamedShare, ...]


ToClient = AdvertisedKeys | SharedKeys | InputsReceived | UnmaskRequest
ToServer = AdvertiseKeys | ShareKeys | MaskedInput | Consistency | Unmask
