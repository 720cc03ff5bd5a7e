// An escape goes before everything inside, at each point.
byte x; bool stop;
active proctype P() {
    { do :: x < 3 -> x++ :: x--  :: x == 2 -> break od; x = 7 } unless { stop -> x = 100 };
    x = 50
}
active proctype Q() { stop = true; stop = false }

// expect: states 1820
// expect: assertions hold
// expect: end states valid
