// `d_step` is one step, in which choices are resolved by taking the first that can be executed; in
// `atomic` all choices are explored. One process sorts three numbers in a single step; another
// throws a coin twice: in `atomic` it may fall on either side, in `d_step` always on the first.
//
//     fairly check examples/promela/d_step.pml
byte a[3];
bool heads, tails;       // What came of the coin inside atomic.
bool d_heads, d_tails;   // And inside d_step.
byte ready;

inline order(i, j) {
    if
    :: a[i] > a[j] -> swap = a[i]; a[i] = a[j]; a[j] = swap
    :: else
    fi
}

active proctype Sorter() {
    byte swap;
    byte x;
    select (x : 1 .. 3);
    d_step { a[0] = x; a[1] = (x * 2) % 4; a[2] = (x * 3) % 4; x = 0 }
    d_step {
        order(0, 1);
        order(1, 2);
        order(0, 1);
        swap = 0;
        ready++
    }
    assert(a[0] <= a[1] && a[1] <= a[2])
}

active proctype Coins() {
    atomic {
        if
        :: heads = true
        :: tails = true
        fi;
        ready++
    }
    d_step {
        if
        :: d_heads = true
        :: d_tails = true
        fi;
        ready++
    }
}

ltl ends { <> [] (ready == 3) }
ltl atomic_heads { [] !tails } // Violated: either may come.
ltl d_step_heads { [] !d_tails } // Holds: the first is taken.

// expect: states 81
// expect: assertions hold
// expect: end states valid
// expect: ltl ends holds under none
// expect: ltl ends holds under weak process
// expect: ltl atomic_heads violated under none
// expect: ltl atomic_heads violated under weak process
// expect: ltl d_step_heads holds under none
// expect: ltl d_step_heads holds under weak process
