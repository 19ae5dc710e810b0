"""What is neither shown nor copied out of the process."""

from typing import Never


class Secret:
    """A base of records whose content is secret: no repr of it, no pickle, no copy."""

    __slots__ = ()

    def __repr__(self) -> str:
        """Return the class name alone."""
        return f"{type(self).__name__}()"

    def __reduce__(self) -> Never:
        """Refuse to be pickled or copied.

        Raises:
            TypeError: always.
        """
        raise TypeError(f"a {type(self).__name__} is secret and is not pickled")
