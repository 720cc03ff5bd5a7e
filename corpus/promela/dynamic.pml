// Processes are numbered as they come, and die in the opposite order.
byte n;
proctype A(byte i; bit b) { n = n + i; if :: b -> run B(i) :: else fi; n-- }
proctype B(byte i) { byte me = _pid + i; n++; (_nr_pr < 4); n-- }
init { pid p; run A(1, 0); p = run A(2, 1); p = 0; atomic { run B(3); run A(_nr_pr, 0) }; n = 0 }

// expect: states 4860
// expect: assertions hold
// expect: end states invalid
