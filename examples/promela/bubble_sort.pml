// Sorting by processes: N - 1 comparators stand between the cells of an array and exchange what is
// in the wrong order, in whatever order they like. The number of inversions falls with each
// exchange, so there is an end, and it is the sorted array, whoever is treated how unfairly. All
// arrays with values below N are tried.
//
//     fairly check examples/promela/bubble_sort.pml
#define N 3
#define SORTED (a[0] <= a[1] && a[1] <= a[2])

byte a[N];
bool ready;
byte exchanges;

active [N - 1] proctype Comparator() {
    byte i = _pid;
    byte copy;
    ready;
end:
    do
    :: atomic {
           a[i] > a[i + 1] ->
           copy = a[i];
           a[i] = a[i + 1];
           a[i + 1] = copy;
           copy = 0;
           exchanges++
       }
    od
}

init {
    byte i, value;
    atomic {
        for (i : 0 .. N - 1) {
            select (value : 0 .. N - 1); // It wants a variable that is no element of an array.
            a[i] = value
        }
        i = 0; value = 0;
        ready = true
    }
    // Nothing can go on but this: the comparators are at rest.
    timeout;
    assert(SORTED);
    assert(exchanges <= N * (N - 1) / 2)
}

ltl sorts { <> [] (ready && SORTED) }
ltl stays { [] (ready && SORTED -> [] SORTED) }

// expect: states 254
// expect: assertions hold
// expect: end states valid
// expect: ltl sorts holds under none
// expect: ltl sorts holds under weak process
// expect: ltl stays holds under none
// expect: ltl stays holds under weak process
