#!/usr/bin/env bash
# `Skip; Q` makes no silent step, and states with the same term are one, as for PAT.
set -euo pipefail

cat > terms.csp <<'END'
D = d -> D;
Twice = a -> c -> D [] a -> c -> D;
Plain = Skip; D;
After = (a -> Skip); D;
Nothing = Skip;
Name = Nothing; D;
#assert Twice deterministic;
#assert Plain |= X d;
#assert After |= X (a && X d);
#assert Name |= X X d;
END
"$FAIRLY" check terms.csp > said.txt || { cat said.txt >&2; echo "not as PAT has it" >&2; exit 1; }
