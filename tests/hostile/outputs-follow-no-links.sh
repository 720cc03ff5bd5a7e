#!/usr/bin/env bash
# A repository may ship `.fairly` or a file in it as a link, a FIFO, a folder or a hard link. Nothing outside
# `.fairly` changes.
set -euo pipefail
fail() { echo "$1" >&2; exit 1; }
"$FAIRLY" new promela lock.pml > /dev/null
trace=.fairly/lock.served.itf.json
check() { "$FAIRLY" lock.pml > out 2> err && fail "exit 0 for a violated property"; [ $? -eq 1 ] || fail "exit code is not 1"; }

mkdir victim && ln -s victim .fairly
check
[ -z "$(ls -A victim)" ] || fail "a run was written through .fairly, which is a link"
grep -q "not kept" err || fail "it is not said that the run is not kept"
rm .fairly && ln -s nowhere .fairly
check
[ ! -e nowhere ] || fail "a folder was made through a dangling link"
rm .fairly

for kind in symbolic dangling hard fifo folder device; do
  rm -rf .fairly && mkdir .fairly
  printf 'precious\n' > precious
  case $kind in
    symbolic) ln -s ../precious $trace ;;
    dangling) ln -s ../made $trace ;;
    hard) ln precious $trace ;;
    fifo) mkfifo $trace ;;
    folder) mkdir $trace ;;
    device) ln -s /dev/full $trace ;;
  esac
  timeout 20 "$FAIRLY" lock.pml > out 2> err && fail "$kind: exit 0"
  [ "$(cat precious)" = precious ] || fail "$kind: a file outside .fairly was overwritten"
  [ ! -e made ] || fail "$kind: a file outside .fairly was made"
  kept=$(sed -n 's/^ *trace: //p' out)
  [ -f "$kept" ] && [ ! -L "$kept" ] || fail "$kind: the run is not in a file of its own"
  "$FAIRLY" trace verify "$kept" > /dev/null || fail "$kind: the run is not whole"
done
