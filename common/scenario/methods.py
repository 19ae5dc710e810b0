"""The methods that a scenario can name: the table of `common/methods`, under its first name."""

from collude.common.methods import METHODS, MethodTraits

__all__ = ["METHODS", "MethodTraits"]
