/* As `spin -f '!([] p)'` writes it: what must not be is asserted inside of atomic. */
#define p (x < 3)
byte x;
active proctype P() { do :: x < 2 -> x++ :: x > 0 -> x-- od }
never {    /* !([]p) */
T0_init:
	do
	:: atomic { (! ((p))) -> assert(!(! ((p)))) }
	:: (1) -> goto T0_init
	od;
accept_all:
	skip
}

// expect: states 7
// expect: assertions hold
// expect: end states valid
// expect: never holds under none
// expect: never holds under weak process
