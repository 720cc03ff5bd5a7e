// Two producers and a consumer share a buffer with room for SIZE items.
// There is a mistake: between the look at the buffer and the step that fills it, the other may come.
#define SIZE 1
#define FIXED 0                 // 1: looking and filling are one step

byte count;                     // how many items are in the buffer

active [2] proctype Producer() {
    do
    :: true ->
       if
       :: atomic { FIXED && count < SIZE -> count++ }
       :: !FIXED && count < SIZE -> count++
       fi;
made:  skip
    od
}

active proctype Consumer() {
    do
    :: count > 0 -> count--
    od
}

// Safety: the buffer never holds more than SIZE items. It fails: set FIXED to 1 and check again.
ltl fits { [] (count <= SIZE) }

// Liveness: the first producer gets rid of an item again and again. It fails, also when it is fixed,
// since the other one may always be faster. Try `--fairness weak`, then `--fairness strong`.
ltl served { [] <> Producer[0]@made }
