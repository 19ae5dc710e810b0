"""`python -m collude.runtime.cli`: the same as `collude`."""

from collude.runtime.cli.app import main

main()
