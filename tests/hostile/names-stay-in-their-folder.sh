#!/usr/bin/env bash
# A name of a property is no path: nothing is written outside the folder of --trace, and no run replaces
# another one.
set -euo pipefail
fail() { echo "$1" >&2; exit 1; }
mkdir -p deep/er/work && cd deep/er/work
cat > evil.net <<'M'
component P {
  initial 0
  0 -a-> 0
}
property "./../../evil": G !a
property "..": G !a
property ".": F b
property "/tmp/fairly-evil": G !a
property "A/b": G !a
property "a-B": G !a
M
sed -i 's/F b/X !a/' evil.net
"$FAIRLY" check --trace t evil.net > out 2> err || [ $? -eq 1 ] || fail "$(cat err)"
[ "$(find . -name 't.*' | wc -l)" = 6 ] || fail "names overwrite each other: $(ls)"
for trace in t.*; do "$FAIRLY" trace verify "$trace" > /dev/null || fail "$trace is not verified"; done
rm t.*
"$FAIRLY" check evil.net > out 2> err || true
[ "$(ls .fairly | wc -l)" = 6 ] || fail "names overwrite each other: $(ls .fairly)"
[ ! -e /tmp/fairly-evil ] || fail "a name is a path"
cat > many.csp <<'M'
P() = a -> b -> P();
#assert P() |= [] !a;
#assert P() |= [] !b;
#assert P() |= [] X !a;
M
"$FAIRLY" check --trace ../work/t many.csp > out 2> err || [ $? -eq 1 ] || fail "$(cat err)"
count=$(find . -name 't.*' | wc -l)
[ "$count" -ge 3 ] || fail "runs of several assertions overwrite each other: $count files"
for trace in t.*; do "$FAIRLY" trace verify "$trace" > /dev/null || fail "$trace is not verified"; done
rm -rf .fairly
"$FAIRLY" check many.csp > out 2> err || true
kept=$(sed -n 's/^ *trace: //p' out)
[ "$(printf '%s\n' "$kept" | sort -u | wc -l)" = "$(printf '%s\n' "$kept" | wc -l)" ] || fail "two runs in one file: $kept"
for trace in $kept; do "$FAIRLY" trace verify "$trace" > /dev/null || fail "$trace is not verified"; done
outside=$(find ../.. -type f | grep -v '^../../er/work/' || true)
[ -z "$outside" ] || fail "written outside: $outside"

mkdir a b && "$FAIRLY" new promela a/lock.pml > /dev/null && cp a/lock.pml b/lock.pml
rm -rf .fairly
"$FAIRLY" a/lock.pml b/lock.pml > out || true
[ "$(ls .fairly | wc -l)" = 2 ] || fail "a/lock.pml and b/lock.pml have one run: $(ls .fairly)"
grep -l '"a/lock.pml"' .fairly/*.json > /dev/null && grep -l '"b/lock.pml"' .fairly/*.json > /dev/null || fail "one of the runs is gone"
"$FAIRLY" b/lock.pml > /dev/null || true
"$FAIRLY" a/lock.pml > /dev/null || true
[ "$(ls .fairly | wc -l)" = 2 ] || fail "the runs do not keep their names: $(ls .fairly)"
"$FAIRLY" --trace both a/lock.pml b/lock.pml > out 2> err || [ $? -eq 1 ] || fail "$(cat err)"
[ "$(ls both.* | wc -l)" = 2 ] || fail "--trace has one file for two models: $(ls both.*)"
