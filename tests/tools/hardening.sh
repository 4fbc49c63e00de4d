#!/usr/bin/env bash
# Fails if a program was built without the compiler and linker flags that make faults hard to exploit.
#
# Usage: hardening.sh PROGRAM...
set -euo pipefail

failed=0

# "expect PROGRAM WHAT PATTERN TEXT" fails unless the text matches the pattern.
expect() {
  grep -qE "$3" <<<"$4" && return
  echo "$1: no $2" >&2
  failed=1
}

# "compiled_with PROGRAM FLAG PRODUCERS" fails unless each line of PRODUCERS contains the compiler flag.
compiled_with() {
  local without
  without=$(grep -cv -- " $2" <<<"$3" || true)
  ((without == 0)) && return
  echo "$1: $without files were compiled without $2" >&2
  failed=1
}

for program; do
  name=$(basename "$program")
  segments=$(readelf --wide --program-headers "$program")
  dynamic=$(readelf --wide --dynamic "$program")
  symbols=$(readelf --wide --dyn-syms "$program")
  expect "$name" 'position independence (PIE)' 'FLAGS_1.* PIE' "$dynamic"
  expect "$name" 'read-only relocations (RELRO)' 'GNU_RELRO' "$segments"
  expect "$name" 'binding at the start (BIND_NOW)' 'FLAGS_1.* NOW' "$dynamic"
  expect "$name" 'stack protector' ' __stack_chk_fail@' "$symbols"
  expect "$name" 'checked functions (FORTIFY)' ' __(mem|str|v?s?n?printf|f?printf|read|recv|poll)[a-z]*_chk@' "$symbols"
  expect "$name" 'stack that cannot be executed' 'GNU_STACK.* RW +0x' "$segments"
  expect "$name" "checks of the C++ library's containers (_GLIBCXX_ASSERTIONS)" '__glibcxx_assert_fail' "$symbols"
  # Only the debug information shows reliably whether the compiler used -fstack-clash-protection and -fcf-protection.
  producers=$(readelf --wide --debug-dump=info --dwarf-depth=1 "$program" | grep DW_AT_producer)
  compiled_with "$name" -fstack-clash-protection "$producers"
  if [[ $(uname -m) == x86_64 ]]; then
    compiled_with "$name" -fcf-protection "$producers"
  fi
  if grep -qE 'RPATH|RUNPATH' <<<"$dynamic"; then
    echo "$name: looks for libraries in folders of its own" >&2
    failed=1
  fi
done
exit $failed
