#!/bin/sh
# Runs a command without address space randomization. ThreadSanitizer in Clang 14 cannot map its shadow memory
# if a newer kernel randomizes more bits. If this is forbidden (as in some containers), the command runs
# normally.
if setarch -R true 2>/dev/null; then
  exec setarch -R "$@"
fi
exec "$@"
