// A producer and two consumers with a channel between them that holds two items. Who finds it full
// or empty waits. The producer goes on as soon as anybody consumes. Of the consumers one may be
// late every time, which only strong fairness forbids.
//
//     fairly check --fairness weak --level process examples/promela/bounded_buffer.pml
//     fairly check --fairness strong --level process examples/promela/bounded_buffer.pml
#define ROOM 2
#define KINDS 3

chan buffer = [ROOM] of { byte };

active proctype Producer() {
    byte item;
    do
    :: buffer!item;
produced:
       item = (item + 1) % KINDS
    od
}

active [2] proctype Consumer() {
    byte item, next;
    do
    :: atomic { nempty(buffer) -> buffer?<next>; buffer?item };
       assert(item == next && item < KINDS);
consumed:
       d_step { item = 0; next = 0 }
    od
}

ltl produces { [] <> Producer@produced }
ltl consumes { [] <> (Consumer[1]@consumed || Consumer[2]@consumed) }
ltl first_consumes { [] <> Consumer[1]@consumed }
ltl never_full { [] (len(buffer) < ROOM) } // Violated. SPIN takes no `nfull` in a formula.

// expect: states 594
// expect: assertions hold
// expect: end states valid
// expect: ltl produces holds under none
// expect: ltl produces holds under weak process
// expect: ltl consumes holds under none
// expect: ltl consumes holds under weak process
// expect: ltl first_consumes violated under none
// expect: ltl first_consumes violated under weak process
// expect: ltl first_consumes holds under strong process
// expect: ltl never_full violated under none
// expect: ltl never_full violated under weak process
