"""The coordinator's side of secure aggregation, one file a round."""

from collude.codef.secagg.server.session import Server

__all__ = ["Server"]
