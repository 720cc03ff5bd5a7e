#!/usr/bin/env bash
# Long atomic sequences and long d_steps have the verdicts of SPIN; steps that never end are unknown.
set -euo pipefail

fail() { echo "$1"; exit 1; }
# says CODE LINE-PATTERN ARGUMENTS...: the exit code, and a line of the report.
says() {
  local code=$1 line=$2 got=0
  shift 2
  timeout 120 "$FAIRLY" "$@" >out 2>&1 || got=$?
  [ "$got" -eq "$code" ] || { cat out; fail "fairly $*: exit code $got, expected $code"; }
  grep -qE "$line" out || { cat out; fail "fairly $*: no line with $line"; }
}

cat >long.pml <<'M'
byte x, done; short k;
active proctype A() { do :: atomic { x = 1; k = 0; do :: k < 2500 -> k++ :: else -> break od; x = 0 } od }
active proctype B() { done = 1 }
ltl g { <> (x == 1) }
ltl w { <> (done == 1) }
M
cat >ways.pml <<'M'
byte x, k, j;
active proctype A() { atomic { x = 1; select(k : 1 .. 80); select(j : 1 .. 80); x = 0 } }
ltl s { [] (x == 0) }
M
cat >endless.pml <<'M'
byte y;
active proctype A() { atomic { do :: y = 1 - y od } }
ltl g { []<> (y == 1) }
ltl h { <>[] (y == 0) }
M
cat >step.pml <<'M'
int i; bool bad;
active proctype P() { d_step { do :: i < 20000 -> i++ :: else -> break od }; bad = true; false }
ltl a { [] !bad }
M
cat >forever.pml <<'M'
int i; bool bad;
active proctype P() { d_step { do :: true -> i++ od }; bad = true; false }
ltl a { [] !bad }
M
cat >program.csp <<'M'
var i = 0; var bad = false;
P() = e{ while (i < 60000) { i = i + 1; } } -> b{ bad = true; } -> Stop;
S() = e -> S();
#define isbad bad;
#assert P() deadlockfree;
#assert P() |= [] !isbad;
#assert P() refines S();
#assert P() reaches isbad;
M
for how in '' --interpret --no-reduction; do
  says 1 'FAIL +g' check $how -p g long.pml
  says 0 'ok +w' check $how --fairness weak -p w long.pml
  says 0 'ok +s' check $how -p s ways.pml
  says 0 'ok +g' check $how -p g endless.pml
  says 1 'FAIL +h' check $how -p h endless.pml
  says 1 'FAIL +a' check $how -p a step.pml
  says 1 'FAIL +end states' check $how -p 'end states' step.pml
  says 3 'unknown' check $how -p a forever.pml
  says 3 'unknown' check $how -p 'end states' forever.pml
  says 1 '4 properties: 1 holds, 3 violated' check $how program.csp
done
