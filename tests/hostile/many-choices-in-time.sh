#!/usr/bin/env bash
# Large inputs are made into models in time that grows with their size. The bounds are generous: what
# they replace took minutes.
set -euo pipefail

limit() {
    local started=$SECONDS
    "$FAIRLY" check --interpret --timeout 20 "$1" > said.txt 2>&1 || { tail -n 5 said.txt >&2; exit 1; }
    [ $((SECONDS - started)) -lt 20 ] || { echo "$1 takes too long" >&2; exit 1; }
}

echo 'P() = [] i:{0..15999} @ e.i -> P(); #assert P() deadlockfree;' > choices.csp
limit choices.csp
{
    echo 'byte x; active proctype P() { atomic {'
    for _ in $(seq 20000); do echo 'x++;'; done
    echo 'skip } }'
} > atomic.pml
limit atomic.pml
echo 'int a[1000000]; active proctype P() { a[3] = 1; a[999999] = 2 } ltl p { [] (a[5] == 0) }' > array.pml
limit array.pml
