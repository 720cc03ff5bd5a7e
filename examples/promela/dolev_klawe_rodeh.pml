// Election of a leader on a ring in one direction with O(n log n) messages, by Dolev, Klawe and
// Rodeh (1982). An active station learns the numbers of its two active neighbours on the left. It
// stays active, under the number of the nearer, if that is the greatest of the three; else it only
// passes messages on. A number that comes back to who carries it has won.
//
//     fairly check examples/promela/dolev_klawe_rodeh.pml
#define N 4

mtype = { one, two };
chan link[N] = [2] of { mtype, byte };
byte leaders;

#define left link[here]
#define right link[(here + 1) % N]

proctype Station(byte here; byte mine) {
    byte carried = mine; // The number for which this station stands.
    byte near, far;

    right!one, carried;
active_station:
    left?one, near;
    if
    :: near == carried ->
       leaders++;
       assert(near == N);
       goto done
    :: else
    fi;
    right!two, near;
    left?two, far;
    if
    :: near > carried && near > far ->
       carried = near;
       right!one, carried;
       goto active_station
    :: else
    fi;
    near = 0; far = 0;
end:
    do
    :: left?one, near -> right!one, near
    :: left?two, near -> right!two, near
    od;
done:
    skip
}

init {
    atomic {
        run Station(0, 2);
        run Station(1, 4);
        run Station(2, 1);
        run Station(3, 3)
    }
}

ltl one_leader { [] (leaders <= 1) }
ltl elects { <> (leaders == 1) }

// Every run ends, so no fairness is needed.

// expect: states 1640
// expect: assertions hold
// expect: end states valid
// expect: ltl one_leader holds under none
// expect: ltl one_leader holds under weak process
// expect: ltl elects holds under none
// expect: ltl elects holds under weak process
