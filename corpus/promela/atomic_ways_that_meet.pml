// Ways through an atomic sequence that meet inside it, and part again.
byte x, n;
active proctype A() {
    atomic {
        x = 1;
        do
        :: n < 8 -> if :: n++ :: n = n + 2 fi
        :: else -> break
        od;
        x = 0
    }
}

ltl unseen { [] (x == 0) }
ltl between { [] (n == 0 || n >= 8) }
ltl even { <> (n == 8) }

// expect: states 5
// expect: assertions hold
// expect: end states valid
// expect: ltl unseen holds under none
// expect: ltl unseen holds under weak process
// expect: ltl between holds under none
// expect: ltl between holds under weak process
// expect: ltl even violated under none
// expect: ltl even violated under weak process
