"""What every stored document is made of."""

from pydantic import BaseModel, ConfigDict


class Stored(BaseModel):
    """A part of a document: keys that this report does not show may come and go."""

    model_config = ConfigDict(frozen=True, extra="ignore")
