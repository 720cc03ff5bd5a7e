#!/usr/bin/env bash
# What never ends is not read for ever: exit 2 with a code where there is too much, exit 3 where time is up or
# somebody stops it.
set -euo pipefail
fail() { echo "$1" >&2; exit 1; }
try() { # expected code, words, command…
  local expected=$1 words=$2 code=0; shift 2
  timeout 20 "$FAIRLY" "$@" > out 2> err < /dev/null || code=$?
  [ $code -eq "$expected" ] || fail "$*: exit $code: $(cat err)"
  grep -q -- "$words" err || fail "$*: $(cat err)"
}
truncate -s 4G huge.pml
mkfifo fifo.pml fifo.json
mkdir folder.json
printf '\xff\xfe' > binary.pml
for file in /dev/zero huge.pml; do
  try 2 E0002 check --lang promela "$file"
  try 2 E0002 trace verify "$file"
  try 2 E0002 aut stats "$file"
done
try 2 E0003 check missing.pml
try 2 E0003 trace show folder.json
try 2 E1100 check binary.pml
try 3 "stopped while reading" check --timeout 0.5 fifo.pml
try 3 "stopped while reading" check --timeout 0.5 --lang csp fifo.json
ln -s /dev/zero fairly.toml && try 2 E0003 check missing.pml && rm fairly.toml
code=0; timeout 20 "$FAIRLY" check --lang promela - < /dev/zero > out 2> err || code=$?
[ $code -eq 2 ] && grep -q E0002 err || fail "stdin: exit $code: $(cat err)"
"$FAIRLY" check fifo.pml > out 2> err & pid=$!
sleep 0.7; kill -INT $pid
code=0; wait $pid || code=$?
[ $code -eq 3 ] || fail "Ctrl-C while a FIFO is read: exit $code"
# A FIFO that somebody writes to is a file like any other.
printf 'byte x; active proctype P() { x = 1 } ltl f { <> (x == 1) }\n' > fifo.pml & 
timeout 20 "$FAIRLY" check fifo.pml > out 2> err || fail "a FIFO is not read: $(cat err)"
