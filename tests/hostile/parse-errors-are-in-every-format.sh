#!/usr/bin/env bash
# What is wrong in a model is said with its place, whatever the format; the exit code is 2.
set -euo pipefail
fail() { echo "$1" >&2; exit 1; }
printf 'byte x\nactive proctype P() { x = ; }\n' > bad.pml
expect() { # format, words
  code=0; "$FAIRLY" check --format "$1" bad.pml > out 2> err || code=$?
  [ $code -eq 2 ] || fail "$1: exit $code"
  grep -q -- "$2" out || fail "$1: $(cat out)"
}
expect json '"line": 2'
expect json '"column": 27'
expect json '"code": "E'
expect sarif '"startLine": 2'
expect github '::error file=bad.pml,line=2,col=27'
expect junit 'bad.pml:2:27'
expect markdown 'bad.pml:2:27'
