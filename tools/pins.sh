#!/bin/sh
# Print constraints.txt: every distribution that .venv holds, at its version.
set -eu
cat <<'HEAD'
# Every version that `make setup` installs, and that the tests passed with, on Python 3.11.
# pyproject.toml gives the open ranges. Made by `make pins`; not edited by hand.
# torch brings its own exact pins for the libraries of a GPU build, which are not repeated here.
HEAD
# A local label such as +cpu names a build, not a version; any build of the version will do.
.venv/bin/python -m pip freeze --all --exclude-editable | grep -v '^pip==' | sed 's/+[a-z0-9.]*$//'
