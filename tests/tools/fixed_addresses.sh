#!/bin/sh
# Runs a command without address space randomization. On newer kernels, which randomize more bits, ThreadSanitizer
# in Clang 14 cannot map its shadow memory. In containers that forbid setarch, the command runs with
# randomization.
if setarch -R true 2>/dev/null; then
  exec setarch -R "$@"
fi
exec "$@"
