// Election of a leader on a ring in one direction by Chang and Roberts (1979). Each sends its
// number around; a number is passed on only by smaller ones, so the greatest alone comes home. The
// winner tells everybody. The numbers on the ring are a choice of the model, and all orders are
// tried.
//
//     fairly check examples/promela/chang_roberts.pml
#define N 3

mtype = { candidate, elected };
chan link[N] = [N] of { mtype, byte };
byte leaders;
byte informed;

proctype Station(byte here; byte mine) {
    byte number;
    byte leader;
    link[(here + 1) % N]!candidate, mine;
end:
    do
    :: link[here]?candidate, number ->
       if
       :: number > mine -> link[(here + 1) % N]!candidate, number
       :: number < mine // Its own is on the way already.
       :: number == mine ->
          leaders++;
          assert(mine == N);
          link[(here + 1) % N]!elected, mine
       fi
    :: link[here]?elected, leader ->
       d_step { assert(leader == N); informed++ }
       if
       :: leader != mine -> link[(here + 1) % N]!elected, leader
       :: else
       fi;
       break
    od
}

init {
    byte first;
    atomic {
        select (first : 1 .. N);
        run Station(0, first);
        // The other two, in one order or the other.
        if
        :: run Station(1, first % N + 1); run Station(2, (first + 1) % N + 1)
        :: run Station(1, (first + 1) % N + 1); run Station(2, first % N + 1)
        fi
    }
}

ltl one { [] (leaders <= 1) }
ltl elects { <> (leaders == 1) }
ltl tells { <> (informed == N) }

// expect: states 568
// expect: assertions hold
// expect: end states valid
// expect: ltl one holds under none
// expect: ltl one holds under weak process
// expect: ltl elects holds under none
// expect: ltl elects holds under weak process
// expect: ltl tells holds under none
// expect: ltl tells holds under weak process
