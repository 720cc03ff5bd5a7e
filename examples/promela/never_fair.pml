// A never claim that only an unfair run matches: a clerk does what is on the desk, while a radio
// plays. The claim waits for a paper that stays for good. If the claim comes to its end a run is
// matched, too: that would be a second paper on the desk.
//
//     fairly check examples/promela/never_fair.pml
//     fairly check --fairness weak --level process examples/promela/never_fair.pml
byte papers;
bit tune;

active proctype Boss() {
    do
    :: papers == 0 -> papers++
    od
}

active proctype Clerk() {
    do
    :: papers > 0 -> papers--
    od
}

active proctype Radio() {
    do
    :: tune = 1 - tune
    od
}

never {
wait:
    do
    :: papers > 1 -> goto matched
    :: papers == 1 -> goto accept_stays
    :: true
    od;
accept_stays:
    do
    :: papers == 1
    od;
matched:
    skip
}

// expect: states 8
// expect: assertions hold
// expect: end states valid
// expect: never violated under none
// expect: never holds under weak process
// expect: never holds under strong process
