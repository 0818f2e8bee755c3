#!/usr/bin/env bash
# build.sh: sets up and builds everything but PostgreSQL into build/release.
set -euo pipefail
# shellcheck source=dev.d/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
[[ $# == 0 ]] || usage_error "usage: ./dev build"

dev.d/setup.sh
say "building (some minutes the first time)"
build_targets
say "built; the program is build/release/cli/snapscope"
