// A timeout is for when nobody else can go on, even not somebody blocked inside `atomic`.
byte x; chan c = [1] of { byte };
active proctype P() { do :: timeout -> x++; c!x :: x > 2 -> break od }
active proctype Q() { byte y; atomic { c?y; c?y }; do :: c?y :: timeout -> x = 5 od }

// expect: states 22
// expect: assertions hold
// expect: end states valid
