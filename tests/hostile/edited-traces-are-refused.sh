#!/usr/bin/env bash
# Every field of a trace is checked, and genuine ones are read at every level.
set -euo pipefail
fail() { echo "$1" >&2; exit 1; }
printf 'byte x; active proctype P() { do :: x = 1 - x od } ltl f { [] (x == 0) }\n' > x.pml
"$FAIRLY" new promela lock.pml > /dev/null
for fairness in none weak strong "weak --level event" "strong --level event" "weak --level action" \
  "strong --level action" weak-live strong-live global; do
  for model in x.pml lock.pml; do
    rm -rf .fairly
    # shellcheck disable=SC2086
    "$FAIRLY" check --fairness $fairness $model > out || true
    for trace in .fairly/*.json; do
      [ -e "$trace" ] || continue
      "$FAIRLY" trace verify "$trace" > out 2>&1 || fail "$model under $fairness: $(cat out)"
    done
  done
done
rm -rf .fairly
"$FAIRLY" check --fairness weak -p served lock.pml > out || true
trace=.fairly/lock.served.itf.json
edit() { # name, sed script
  sed "$2" $trace > edited.json
  cmp -s $trace edited.json && fail "$1: nothing was edited"
  code=0; "$FAIRLY" trace verify edited.json > out 2>&1 || code=$?
  [ $code -ne 0 ] || fail "$1 was edited, and the trace is verified"
}
edit fairness 's/process-level weak fairness/strong global fairness/'
edit fairness 's/process-level weak/process-level strong/'
edit "the fairness text" 's/"fairness": ".*"/"fairness": "any"/'
edit "a variable" '0,/"free": true/s//"free": 77/'
edit formula 's/"formula": ".*"/"formula": "[] true"/'
edit property 's/"property": "served"/"property": "exclusive"/'
edit ledger '0,/"given": [0-9]*/s//"given": 9/'
edit "an enabled mark" '0,/"enabled"/s//"disabled"/'
edit "a taken mark" '0,/"taken"/s//"enabled"/'
edit "the loop" 's/"loop": [0-9]*/"loop": 0/'
edit "a constraint" 's/"fairness": /"constraints": [], "fairness": /'
edit "a key twice" 's/"fairness": /"fairness": "x", "fairness": /'
: > lock.pml.trail
code=0; "$FAIRLY" trace verify lock.pml.trail > out 2>&1 || code=$?
[ $code -ne 0 ] || fail "an empty trail is verified"
