"""A silo's side of secure aggregation, one file a round."""

from collude.codef.secagg.client.session import Client

__all__ = ["Client"]
