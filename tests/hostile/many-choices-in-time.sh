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
# Names are looked up, not compared with all others.
{
    for i in $(seq 0 39999); do echo "P$i() = a$i.$i -> P$i();"; done
    echo '#assert P0() deadlockfree;'
} > definitions.csp
limit definitions.csp
{
    echo 'P() = a -> P();'
    printf 'S() = P() \\ {e'
    seq 40000 | sed 's/^/,e/' | tr -d '\n'
    echo '};'
    echo '#assert S() deadlockfree;'
} > hidden.csp
limit hidden.csp
{
    seq -f 'proctype Q%.0f() { skip }' 20000
    echo 'active proctype P() { skip }'
} > proctypes.pml
limit proctypes.pml
