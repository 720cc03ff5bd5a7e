// A loop that starts as many processes as it counts.
#define N 3
byte done;
proctype P(byte i) { done = done + i }
init { byte i; atomic { i = 0; do :: i < N -> run P(i); i++ :: else -> break od }; (_nr_pr == 1); done = 0;
  for (i : 1 .. 2) { run P(i) } }

// expect: states 57
// expect: assertions hold
// expect: end states valid
