// A process that blocks inside `atomic` lets the others go on, and goes on alone once it can.
byte x; bool go;
active proctype P() { atomic { x++; go; x++; x++ }; x = 7 }
active proctype Q() { byte y; y = 1; go = true; y = x; y = 3 }

// expect: states 26
// expect: assertions hold
// expect: end states valid
