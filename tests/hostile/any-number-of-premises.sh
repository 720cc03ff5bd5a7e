#!/usr/bin/env bash
# Formulas with dozens of premises []<> p -> []<> q are answered under every notion.
set -euo pipefail
for count in 1 16 17 32 33 34 64 65 80; do
  {
    echo "byte x; active proctype A() { do :: x = (x + 1) % $((count + 1)) :: x = 0 od }"
    printf 'ltl p { (true'
    for ((i = 0; i < count; i++)); do printf ' && ([]<> (x == %d) -> []<> (x == %d))' "$i" $((i + 1)); done
    echo ') -> []<> (x == 0) }'
  } >premises.pml
  for notion in none weak strong global inherent; do
    code=0
    timeout 120 "$FAIRLY" check --fairness $notion -p p premises.pml >out 2>&1 || code=$?
    [ "$code" -eq 0 ] || { cat out; echo "$count premises under $notion: exit code $code"; exit 1; }
  done
  timeout 120 "$FAIRLY" ladder -p p premises.pml >out 2>&1 || { cat out; echo "ladder with $count premises"; exit 1; }
done
