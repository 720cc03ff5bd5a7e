// A violated assertion: two processes count to two each, by reading, adding and writing. Updates
// are lost: the first assertion is violated. In the worst case two are left, however often each
// counts, and never one: the second assertion holds.
//
//     fairly check examples/promela/lost_update.pml
#define TIMES 2

byte counter;
byte finished;

active [2] proctype Counter() {
    byte copy, i;
    for (i : 1 .. TIMES) {
        copy = counter;
        copy++;
        counter = copy
    }
    finished++
}

active proctype Judge() {
    finished == 2;
    assert(counter == 2 * TIMES);
    assert(counter >= 2)
}

ltl ends { <> (finished == 2) }
ltl exact { [] (finished == 2 -> counter == 4) }
ltl at_least { [] (finished == 2 -> counter >= 2) }

// expect: states 724
// expect: assertions violated
// expect: end states valid
// expect: ltl ends holds under none
// expect: ltl ends holds under weak process
// expect: ltl exact violated under none
// expect: ltl exact violated under weak process
// expect: ltl at_least holds under none
// expect: ltl at_least holds under weak process
