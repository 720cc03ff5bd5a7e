// A barrier for three workers that can be used again: who arrives last opens it for all by turning
// the sense around, and nobody is a round ahead of the others by more than one. The workers need
// one another, so nobody can go on for ever without the rest, and no fairness is needed.
//
//     fairly check examples/promela/barrier.pml
#define N 3

byte missing = N;
bool sense;
byte round[N]; // Modulo 4.

#define apart(i, j) ((round[i] + 4 - round[j]) % 4)

active [N] proctype Worker() {
    bool mine;
    do
    :: round[_pid] = (round[_pid] + 1) % 4; // Works.
       atomic {
           mine = !mine;
           missing--;
           if
           :: missing == 0 -> missing = N; sense = mine
           :: else
           fi
       }
waits: sense == mine
    od
}

ltl together { [] (apart(0, 1) != 2 && apart(0, 2) != 2 && apart(1, 2) != 2) }
ltl rounds { [] <> (round[0] == 0) && [] <> (round[0] == 1) }
ltl never_alone { [] (Worker[0]@waits && round[1] != round[0] -> <> (round[1] == round[0])) }

// expect: states 252
// expect: assertions hold
// expect: end states valid
// expect: ltl together holds under none
// expect: ltl together holds under weak process
// expect: ltl rounds holds under none
// expect: ltl rounds holds under weak process
// expect: ltl never_alone holds under none
// expect: ltl never_alone holds under weak process
