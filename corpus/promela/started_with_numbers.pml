// A parameter that is changed, one that another process reads, and a process that is started later.
byte seen;
proctype Counts(byte number; byte kept) { number < 4; number++; seen = seen + number + kept; number = kept }
proctype Looks() { seen = Counts[1]:kept + Counts[1]:number }
init {
    atomic { run Counts(1, 2); run Counts(3, 1) };
    atomic { run Looks() }
}

// expect: states 248
// expect: end states valid
