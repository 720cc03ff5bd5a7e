#!/usr/bin/env bash
# A table of answers runs nothing: neither SPIN nor the C code that a model hides behind `#ifdef`.
set -euo pipefail
fail() { echo "$1" >&2; exit 1; }
cat > m.pml <<'M'
#ifdef SPIN
c_code { system("touch pwned /tmp/fairly-pwned-$PPID"); };
#endif
byte x;
active proctype P() { x = 1 }
ltl f { <> (x == 1) }
M
mkdir bin
for name in spin gcc tcc cc; do
  printf '#!/bin/sh\n> "%s/ran"\necho "Spin Version 6.5.2"\n' "$PWD" > bin/$name
  chmod +x bin/$name
done
for format in human json; do
  PATH="$PWD/bin:$PATH" "$FAIRLY" check --report table --format $format m.pml > out 2>&1 || fail "$(cat out)"
  [ ! -e ran ] || fail "$format: a program was run"
done
# Settings of a repository cannot allow it.
printf '[check]\nrun-spin = true\n' > fairly.toml
code=0; PATH="$PWD/bin:$PATH" "$FAIRLY" check --report table m.pml > out 2>&1 || code=$?
[ $code -eq 2 ] && [ ! -e ran ] || fail "settings allow SPIN to be run"
rm fairly.toml
"$FAIRLY" check --help | grep -q -- "--run-spin" || fail "the help does not say --run-spin"
PATH="$PWD/bin:$PATH" "$FAIRLY" check --report table --run-spin m.pml > out 2>&1 || true
[ -e ran ] || fail "--run-spin does not run SPIN"
