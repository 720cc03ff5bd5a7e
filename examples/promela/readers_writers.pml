// Readers and writers: any number of readers at a time, or one writer. With priority to readers the
// writer may wait for ever, however fair the processes are treated: two readers that relieve each
// other never leave the room empty. A reader is only kept out by a writer that comes back too soon,
// and against that strong fairness helps.
//
//     fairly check --fairness strong --level process examples/promela/readers_writers.pml
#define READERS 2

byte reading;
bool writing;

active [READERS] proctype Reader() {
    do
    :: atomic { !writing -> reading++ };
reads: assert(!writing);
       reading--
    od
}

active proctype Writer() {
    do
    :: atomic { reading == 0 && !writing -> writing = true };
writes:
       assert(reading == 0);
       writing = false
    od
}

ltl exclusion { [] !(writing && reading > 0) }
ltl shared { [] (reading < READERS) } // They do read together, so this is violated.
ltl reader { [] <> Reader[0]@reads }
ltl writer { [] <> writing }

// expect: states 11
// expect: assertions hold
// expect: end states valid
// expect: ltl exclusion holds under none
// expect: ltl exclusion holds under weak process
// expect: ltl shared violated under none
// expect: ltl shared violated under weak process
// expect: ltl reader violated under none
// expect: ltl reader violated under weak process
// expect: ltl reader holds under strong process
// expect: ltl writer violated under none
// expect: ltl writer violated under weak process
// expect: ltl writer violated under strong process
