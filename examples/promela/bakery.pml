// Lamport's bakery (1974) for two customers: who comes draws a number above all that it sees, and
// the smallest number is served first. The numbers grow for ever as long as the shop is never
// empty; here the roll has LAST numbers, and nobody draws while the other has the last one.
//
//     fairly check --fairness weak --level process examples/promela/bakery.pml
#define LAST 4
#define other (1 - _pid)
// The order of the numbers, and of the customers if the numbers are equal.
#define before(a, b) (number[a] < number[b] || (number[a] == number[b] && a < b))

bool drawing[2];
byte number[2]; // 0: does not wait.
byte inside;

active [2] proctype Customer() {
    byte seen;
    do
    :: true -> skip // Stay at home.
    :: number[other] < LAST ->
       drawing[_pid] = true;
       seen = number[other];
       if
       :: seen < LAST -> number[_pid] = seen + 1
       :: else -> drawing[_pid] = false; goto closed
       fi;
drawn: drawing[_pid] = false;
       !drawing[other];
       (number[other] == 0 || before(_pid, other));
       inside++;
served:
       assert(inside == 1 && number[_pid] <= LAST);
       inside--;
       number[_pid] = 0;
closed:
       seen = 0
    od
}

ltl exclusion { [] (inside <= 1) }
ltl answered { [] (Customer[0]@drawn -> <> Customer[0]@served) }
ltl again { [] <> Customer[0]@served }

// expect: states 960
// expect: assertions hold
// expect: end states valid
// expect: ltl exclusion holds under none
// expect: ltl exclusion holds under weak process
// expect: ltl answered violated under none
// expect: ltl answered holds under weak process
// expect: ltl answered holds under strong process
// expect: ltl again violated under none
// expect: ltl again violated under weak process
// expect: ltl again violated under strong process
