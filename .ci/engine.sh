#!/usr/bin/env sh
# A container engine for the tests that need one: `engine.sh start` says what to export, or in one
# line why there is none; `engine.sh stop` ends the engine that these scripts started.
#
# Where no engine answers, the scripts of ../shared/containers start one, if they are there.
set -u
cd "$(dirname "$0")/.." || exit 1
scripts=../shared/containers
mark=build/engine-started

say() { printf '%s\n' "containers: $*" >&2; }

start() {
    if docker info >/dev/null 2>&1; then
        say "an engine answers"
        return
    fi
    if [ ! -x "$scripts/start-engine.sh" ]; then
        say "no engine answers, so the tests that need one are skipped"
        return
    fi
    mkdir -p build
    if host=$("$scripts/start-engine.sh" 2>build/engine.log) \
        && DOCKER_HOST=$host "$scripts/make-base-image.sh" >>build/engine.log 2>&1; then
        : > "$mark"
        say "an engine was started: export DOCKER_HOST=$host"
        printf 'export DOCKER_HOST=%s COLLUDE_REQUIRE_DOCKER=1\n' "$host"
    else
        say "no engine could be started, so the tests that need one are skipped:" \
            "$(tail -n 1 build/engine.log)"
    fi
}

stop() {
    if [ -e "$mark" ]; then
        rm -f "$mark"
        "$scripts/stop-engine.sh" >&2
    fi
}

case ${1:-} in
    start) start ;;
    stop) stop ;;
    *) say "start or stop?"; exit 2 ;;
esac
