// grows: nothing
chan a = [8] of { bit };
chan b = [8] of { bit };
active proctype P() { do :: a!0 :: a!1 od }
active proctype Q() { bit x; do :: len(b) <= len(a) -> a?x; b!x od }
active proctype R() { bit x; do :: b?x -> assert(x <= 1 && len(a) <= 8) od }
