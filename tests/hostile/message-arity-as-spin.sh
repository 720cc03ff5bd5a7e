#!/usr/bin/env bash
# A message with more or fewer fields than its channel goes wrong where it is sent or received. A receive
# that cannot be executed, and a poll, do no harm.
set -euo pipefail

fail() { echo "$1" >&2; exit 1; }

cat > few.pml <<'END'
chan q = [1] of { byte, byte };
byte x;
active proctype P() { q!1; q?x }
END
"$FAIRLY" check -p assertions few.pml > few.txt && fail "too few fields in a send are accepted"
grep -q "a message of 1 field for" few.txt || fail "a send with too few fields is not what is reported"

cat > empty.pml <<'END'
chan g = [1] of { byte, byte };
byte x, done;
active proctype P() { chan c = g; if :: c?x -> x = 7 :: skip fi; if :: c?[1] -> x = 8 :: else fi; done = 1 }
END
"$FAIRLY" check -p assertions empty.pml > empty.txt || fail "a receive from an empty channel is a fault"

cat > wide.pml <<'END'
chan q = [1] of { byte };
init { q!1,2 }
END
code=0
"$FAIRLY" check wide.pml > wide.txt 2>&1 || code=$?
[ "$code" = 2 ] || fail "a message that is wider than every channel: exit $code, not 2"
grep -q E1167 wide.txt || fail "a message that is wider than every channel has no code"
