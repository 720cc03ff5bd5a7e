// A progress label that no process can come to asks for progress all the same: the loop before it
// is never left, and each of its rounds is one without progress.
bit x;

active proctype P() {
    do
    :: x = 1 - x
    od;
progress:
    skip
}

// expect: states 2
// expect: assertions hold
// expect: end states valid
// expect: progress violated under none
// expect: progress violated under weak process
