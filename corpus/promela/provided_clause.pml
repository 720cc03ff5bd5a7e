byte x; bool lock; chan c = [0] of { byte };
active proctype P() provided (!lock) { do :: x < 2 -> x++ :: c!x -> x = 0 od }
active proctype Q() provided (x != 1) { byte y; do :: c?y :: lock = !lock od }

// expect: states 20
// expect: assertions hold
// expect: end states valid
