#!/usr/bin/env bash
# Names, strings, names of files and lines of settings are shown without what a terminal would obey.
set -euo pipefail
fail() { echo "$1" >&2; exit 1; }
evil=$'x\e]0;t\a\e[31m\xc2\x9b2J\xe2\x80\xae\x7f'
cat > "n$evil.net" <<M
component "$evil" {
  initial 0
  0 -"$evil"-> 1
  1 -b-> 0
}
property "$evil": G !b
M
printf 'active proctype P() { %s }' "$evil" > bad.pml
clean() { if LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]' out; then fail "$*: $(cat -v out | head -5)"; fi; }
for format in human json github sarif junit markdown; do
  for file in "n$evil.net" bad.pml "missing$evil.pml"; do
    "$FAIRLY" check --format $format "$file" > out 2>&1 || true
    clean check $format
  done
done
"$FAIRLY" check "n$evil.net" > out 2>&1 || true
trace=$(ls .fairly/*.json)
for command in "trace show" "trace verify" "trace convert --to markdown" "trace convert --to mermaid" "trace convert --to dot" "trace convert --to itf"; do
  # shellcheck disable=SC2086
  "$FAIRLY" $command "$trace" > out 2>&1 || true
  clean "$command"
done
for command in "sim --random" sim ladder least graph; do
  # shellcheck disable=SC2086
  "$FAIRLY" $command "n$evil.net" > out 2>&1 < /dev/null || true
  clean "$command"
done
printf '[check]\nfairness = "\\u001b[31m"\n' > fairly.toml
"$FAIRLY" check bad.pml > out 2>&1 || true
clean settings
printf '[check]\n%s\n' "$evil" > fairly.toml
"$FAIRLY" check bad.pml > out 2>&1 || true
clean "lines of settings"
