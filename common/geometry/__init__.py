"""Transforms, anchors, Procrustes and alignment estimators. Pure mathematics."""

from collude.common.geometry.anchors import centered_orthonormal_anchor, check_anchor
from collude.common.geometry.haar import haar_orthogonal, polar_factor
from collude.common.geometry.metrics import pair_error, rotation_error
from collude.common.geometry.rigid import RigidTransform, random_rigid_transform

__all__ = [
    "RigidTransform",
    "centered_orthonormal_anchor",
    "check_anchor",
    "haar_orthogonal",
    "pair_error",
    "polar_factor",
    "random_rigid_transform",
    "rotation_error",
]
