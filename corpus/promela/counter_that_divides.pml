// SPIN's verifier crashes here: a division by zero is a signal for it.
// `ratio` is never read, but it cannot be computed when `sent` has gone all the way round.
byte sent, ratio;

active proctype P() {
    do
    :: sent++; ratio = 10 / sent
    od
}

// expect: assertions violated
