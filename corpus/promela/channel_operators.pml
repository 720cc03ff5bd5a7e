// Sorted sending, receiving out of order, copying, asking, matching.
mtype = { red, green };
chan c = [3] of { mtype, byte }; chan d = [2] of { bit }; byte n;
active proctype P() { do :: n < 4 -> c!!red(n); n = n + 3 :: n < 5 -> c!!green,(4 - n); n++ :: n == 7 -> break od; d!1; d!0 }
active proctype Q() {
    byte x, y = 3;
    do
    :: c??green,x -> y = x
    :: c?<red,x> -> y = 9; c?_,_
    :: c??[red,eval(y)] -> c??red,eval(y); x = 77
    :: full(d) -> d?x
    :: len(c) == 3 -> c?x,y; y = 1
    :: nempty(d) && nfull(c) -> d??0
    od
}

// expect: states 1029
// expect: assertions hold
// expect: end states invalid
