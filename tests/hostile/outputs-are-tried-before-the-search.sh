#!/usr/bin/env bash
# What cannot be written is said at once, before anything is searched, with exit code 2.
set -euo pipefail
fail() { echo "$1" >&2; exit 1; }
# Far more states than can be searched in the time.
cat > large.pml <<'M'
int a, b, c;
active proctype P() { do :: a++ :: b++ :: c++ od }
ltl f { [] (a + b + c < 100000000) }
M
mkdir folder
for option in "--trace missing/t" "--trace folder" "--trace folder/" "--report json=missing/r" "--report junit=folder"; do
  code=0
  # shellcheck disable=SC2086
  timeout 10 "$FAIRLY" check $option large.pml > out 2> err || code=$?
  [ $code -eq 2 ] || fail "$option: exit $code"
  grep -q "cannot write" err || fail "$option: $(cat err)"
done
code=0; timeout 10 "$FAIRLY" graph -o missing/g large.pml 2> err || code=$?
[ $code -eq 2 ] || fail "graph: exit $code"
if [ "$(id -u)" != 0 ]; then
  mkdir closed && chmod 555 closed
  code=0; timeout 10 "$FAIRLY" check --trace closed/t large.pml 2> err || code=$?
  [ $code -eq 2 ] || fail "a folder that is read only: exit $code"
  touch kept && chmod 444 kept
  code=0; timeout 10 "$FAIRLY" check --trace kept large.pml 2> err || code=$?
  [ $code -eq 2 ] || fail "a file that is read only: exit $code"
else
  echo "skipped: root may write to a folder that is read only"
fi
[ -z "$(find . -name '.fairly-*')" ] || fail "something is left over"
