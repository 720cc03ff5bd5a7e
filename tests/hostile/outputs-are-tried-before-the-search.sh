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
# What is read is not written over, and nothing is written twice.
ln -s large.pml link.pml
cp large.pml copy.pml
for arguments in "check --trace large.pml large.pml" "check --report json=./large.pml large.pml" \
  "check --trace $PWD/large.pml link.pml" "check --trace link.pml link.pml" "graph -o large.pml large.pml" \
  "check --trace copy.pml large.pml copy.pml" "check --trace t --report json=./t large.pml" \
  "check --report json=t --report junit=t large.pml"; do
  code=0
  # shellcheck disable=SC2086
  timeout 10 "$FAIRLY" $arguments > out 2> err || code=$?
  [ $code -eq 2 ] || fail "$arguments: exit $code"
  grep -q "cannot write" err || fail "$arguments: $(cat err)"
  cmp -s large.pml copy.pml && [ -L link.pml ] || fail "$arguments: the model is lost"
  [ ! -e t ] || fail "$arguments: something was written"
done
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
