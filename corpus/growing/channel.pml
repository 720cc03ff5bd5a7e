// grows: The channel `c` (line 2)
chan c = [200] of { byte };
active proctype P() { do :: c!1 :: c!2 od }
active proctype Q() { byte x; do :: len(c) > 100 -> c?x od }
