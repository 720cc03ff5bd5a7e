#!/usr/bin/env bash
# A full disk, a limit on the size of files, a device that takes nothing: the verdict is printed, the exit
# code is 2, the file is as it was, and nothing half-written is left.
set -euo pipefail
fail() { echo "$1" >&2; exit 1; }
"$FAIRLY" new promela lock.pml > /dev/null
verdict="4 properties: 3 hold, 1 violated"
clean() { [ -z "$(find . -name '.fairly-*' -o -name '*.tmp')" ] || fail "$1: something half-written is left"; }

for option in "--trace /dev/full" "--report json=/dev/full" "--report sarif=/dev/full"; do
  code=0
  # shellcheck disable=SC2086
  "$FAIRLY" check $option lock.pml > out 2> err || code=$?
  [ $code -eq 2 ] || fail "$option: exit $code"
  grep -q "$verdict" out || fail "$option: the verdict is lost"
  grep -q "No space left" err || fail "$option: $(cat err)"
done
"$FAIRLY" check --trace /dev/null -p served lock.pml > out || [ $? -eq 1 ] || fail "/dev/null is no output"
"$FAIRLY" check --trace /dev/stdout -p served lock.pml > out || [ $? -eq 1 ] || fail "/dev/stdout is no output"
grep -q '"#meta"' out && grep -q "1 violated" out || fail "/dev/stdout: something is missing"

code=0; "$FAIRLY" check lock.pml > /dev/full 2> err || code=$?
[ $code -eq 2 ] || fail "stdout is full: exit $code"
grep -q "3 hold, 1 violated" err || fail "stdout is full, and the verdict is lost"

printf 'precious\n' > t
code=0
# The limit is on files only; what is printed goes through a pipe.
( ulimit -f 1; exec "$FAIRLY" check --trace t -p served lock.pml 2> >(cat > err) ) | cat > out || code=$?
wait
[ $code -eq 2 ] || fail "ulimit -f: exit $code"
grep -q "1 violated" out || fail "ulimit -f: the verdict is lost"
[ "$(cat t)" = precious ] || fail "ulimit -f: a good file was truncated"
clean "ulimit -f"
rm -rf .fairly
( ulimit -f 1; exec "$FAIRLY" check -p served lock.pml 2> >(cat > err) ) | cat > out || [ $? -eq 1 ] || fail "ulimit -f: the exit code is that of the verdict where nobody asked for the file"
wait
grep -q "1 violated" out || fail "ulimit -f: the verdict is lost"
clean "ulimit -f"
