// An atomic sequence of five thousand steps. Nobody sees a state inside it.
byte x, done;
short k;
active proctype A() {
    do
    :: atomic {
        x = 1;
        k = 0;
        do
        :: k < 2500 -> k++
        :: else -> break
        od;
        x = 0
    }
    od
}
active proctype B() { done = 1 }

ltl seen { <> (x == 1) }
ltl unseen { [] (x == 0) }
ltl served { <> (done == 1) }

// expect: states 6
// expect: assertions hold
// expect: end states valid
// expect: ltl seen violated under none
// expect: ltl seen violated under weak process
// expect: ltl unseen holds under none
// expect: ltl unseen holds under weak process
// expect: ltl served violated under none
// expect: ltl served holds under weak process
