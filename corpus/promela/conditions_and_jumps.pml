// Labels that mean something on jumps, and steps that do nothing.
byte x;
active proctype P() {
progress_a: goto b;
c:  x = 1;
b:  if :: x == 0 -> goto c :: x == 1 -> x = 2; goto progress_b :: else fi;
accept_d: goto end_e;
progress_b: x++; goto b;
end_e: (x -> x > 5 : x < 2) || !x
}
active proctype Q() { (x > 2 && x < 9); x = 9 }

// expect: states 21
// expect: assertions hold
// expect: end states valid
