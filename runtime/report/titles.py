"""What an attack is called, as the attack itself says."""

from functools import cache

from collude.attacker.attacks import registry, release_registry


@cache
def attack_title(name: str) -> str:
    """Return an attack's title, or its name if it is registered no more."""
    attack = registry().get(name)
    return attack.title if attack else name


@cache
def release_attack_title(name: str) -> str:
    """Return the title of an attack on answers, or its name if it is registered no more."""
    attack = release_registry().get(name)
    return attack.title if attack else name
