// Escapes from escapes, and escapes from inside atomic sequences and choices.
byte x; bool a, b;
active proctype P() {
    { { x = 1; atomic { x = 2; x = 3; x = 4 }; if :: x == 4 -> x = 5 :: else fi; x = 6 }
      unless { a -> x = 10; x = 11 } ; x = 12; d_step { x = 13; x = 14 } }
    unless { b -> x = 20; x = 21 };
    x = 30
}
active proctype Q() { a = true; a = false; b = true; b = false }

// expect: states 115
// expect: assertions hold
// expect: end states valid
