"""Skeletons of plug-in projects: `collude new`."""

from collude.runtime.scaffold.write import KINDS, write_skeleton

__all__ = ["KINDS", "write_skeleton"]
