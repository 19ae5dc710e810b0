#!/bin/sh
# Make .venv and install what constraints.txt pins. Does nothing when nothing changed: the key
# below is written last, so an interrupted installation is taken up again by the next call.
#
# From the environment: PYTHON, an interpreter >= 3.11; TORCH_INDEX, an extra package index or "".
set -eu

say() { printf '%s\n' "$*" >&2; }

refuse_python() {
    say "Collude needs Python 3.11 or newer with its venv module."
    found=$(command -v "$PYTHON" >/dev/null && "$PYTHON" --version 2>&1 || echo 'not there')
    say "Found: $PYTHON ($found)."
    say "Say which one to use:     make setup PYTHON=python3.12"
    say "On Debian and Ubuntu:     apt-get install python3 python3-venv"
    exit 2
}

"$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || refuse_python
"$PYTHON" -c 'import ensurepip, venv' 2>/dev/null || refuse_python

place="$(pwd -P) $("$PYTHON" -c 'import sys; print(sys.version)' | tr '\n' ' ')"
key="$place$TORCH_INDEX $(cat pyproject.toml constraints.txt | cksum)"
[ "$(cat .venv/collude-setup 2>/dev/null || true)" = "$key" ] && exit 0

# An environment made elsewhere, or by another interpreter, cannot be mended: make it anew.
if [ "$(cat .venv/collude-place 2>/dev/null || true)" != "$place" ]; then
    say "Making .venv with $("$PYTHON" --version)"
    "$PYTHON" -m venv --clear .venv
    printf '%s' "$place" > .venv/collude-place
fi

# pip asks an index that is not there again and again, for each package.
case $TORCH_INDEX in http*)
    "$PYTHON" -c 'import sys, urllib.request as u; u.urlopen(sys.argv[1] + "/torch/", timeout=20)' \
        "${TORCH_INDEX%/}" 2>/dev/null || {
        say "TORCH_INDEX has no answer to give: $TORCH_INDEX"
        say "If pip does not reach it either, it will try for many minutes. Ctrl-C, and make setup"
        say "without TORCH_INDEX, takes torch from PyPI."
    } ;;
esac

# A person watches the downloads; a log needs only the errors.
quiet=--quiet
[ -t 1 ] && quiet=
say "Installing the pinned dependencies (the first time takes minutes; torch is large)"
.venv/bin/python -m pip install --disable-pip-version-check $quiet \
    ${TORCH_INDEX:+--extra-index-url "$TORCH_INDEX"} \
    --constraint constraints.txt --editable '.[demo,compose,dev]'

# Python reads .pth files in the locale's encoding, so an absolute path with other letters than
# ASCII stops it at once under LC_ALL=C. A relative one, counted from site-packages, does not.
for link in .venv/lib/python3*/site-packages/__editable__.collude-*.pth; do
    echo ../../../../src > "$link"
done
# The container images take torch from the same place.
printf '%s' "$TORCH_INDEX" > .venv/collude-torch-index
printf '%s' "$key" > .venv/collude-setup
say "Ready: .venv/bin/collude --help"
