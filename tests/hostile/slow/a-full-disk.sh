#!/usr/bin/env bash
# A file system of 8 KB: the verdict is printed, good files stay, nothing half-written is left.
set -euo pipefail
fail() { echo "$1" >&2; exit 1; }
mkdir disk
if ! mount -t tmpfs -o size=8k tmpfs disk 2> /dev/null; then
  echo "skipped: mounting a file system takes root"
  exit 0
fi
trap 'umount disk' EXIT
"$FAIRLY" new promela lock.pml > /dev/null
cd disk
printf 'precious\n' > t
head -c 4096 /dev/zero > filling
code=0; "$FAIRLY" check --trace t -p served ../lock.pml > ../out 2> ../err || code=$?
[ $code -eq 2 ] || fail "exit $code"
grep -q "1 violated" ../out || fail "the verdict is lost"
[ "$(cat t)" = precious ] || fail "a good file was truncated"
[ "$(find . -type f | sort | tr '\n' ' ')" = "./filling ./t " ] || fail "left over: $(find . -type f)"
code=0; "$FAIRLY" check -p served ../lock.pml > ../out 2> ../err || code=$?
[ $code -eq 1 ] || fail "exit $code where nobody asked for the run"
grep -q "not kept" ../err || fail "it is not said that the run is not kept"
cd ..
