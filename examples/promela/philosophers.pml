// The dining philosophers (Dijkstra, 1971): three take the fork on their left, then that on their
// right. If each has one, nobody can go on, which is a state where the model must not end. With
// `#define POLITE 1` the last one takes the right fork first, and there is no deadlock; then a
// hungry philosopher eats under strong fairness of processes, but not under weak.
//
//     fairly check examples/promela/philosophers.pml
#define N 3
#define POLITE 0

bool taken[N];
byte eating;
byte meals[N];

inline take(fork) { atomic { !taken[fork] -> taken[fork] = true } }
inline put(fork) { taken[fork] = false }

active [N] proctype Philosopher() {
    byte left = _pid, right = (_pid + 1) % N;
    if
    :: POLITE && _pid == N - 1 -> d_step { left = 0; right = N - 1 }
    :: else
    fi;
end_thinking: // It may stay in its thoughts for ever.
    do
    :: take(left);
hungry:
       take(right);
eats:
       eating++;
       assert(eating == 1); // With three forks there is only one at a time.
       eating--;
       put(right);
       put(left)
    od
}

ltl deadlock_free { [] !(Philosopher[0]@hungry && Philosopher[1]@hungry && Philosopher[2]@hungry) }
ltl eats { [] (Philosopher[0]@hungry -> <> Philosopher[0]@eats) }

// expect: states 159
// expect: assertions hold
// expect: end states invalid
// expect: ltl deadlock_free violated under none
// expect: ltl deadlock_free violated under weak process
// expect: ltl eats violated under none
// expect: ltl eats violated under weak process
// expect: ltl eats violated under strong process
