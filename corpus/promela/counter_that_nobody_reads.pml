// Nothing depends on `sent`, but for one formula. The loops of the others go round without it.
byte sent, turn;

active proctype P() {
    do
    :: turn == 0 -> sent++; turn = 1
    :: turn == 1 -> sent++; turn = 0
    od
}

ltl bounded { [] (turn < 2) }
ltl rests { <> [] (turn == 0) }
ltl counted { [] <> (sent == 7) }

// expect: states 768
// expect: assertions hold
// expect: end states valid
// expect: ltl bounded holds under none
// expect: ltl rests violated under none
// expect: ltl counted holds under none
