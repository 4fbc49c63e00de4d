#!/bin/sh
# Runs a command without address space randomisation: ThreadSanitizer of Clang 14 cannot map its
# shadow where a newer kernel randomises more bits. Where that is forbidden (some containers), the
# command runs as it is.
if setarch -R true 2>/dev/null; then
  exec setarch -R "$@"
fi
exec "$@"
