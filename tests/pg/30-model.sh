#!/usr/bin/env bash
# The lock-free read of the shared snapshot as a model: the protocol holds under
# x86-64's and under weak memory order, and fails without each part that it needs.
set -euo pipefail
exec "$(dirname "${BASH_SOURCE[0]}")/../../patched-pg/model/check.sh"
