/* As `spin -f '!(p U q)'` writes it. */
#define p (x < 2)
#define q (x == 3)
byte x;
active proctype P() { do :: x < 3 -> x++ :: x > 0 -> x-- od }
never  {    /* !(p U q) */
accept_init:
T0_init:
	do
	:: (! ((q))) -> goto T0_init
	:: atomic { (! ((p)) && ! ((q))) -> assert(!(! ((p)) && ! ((q)))) }
	od;
accept_all:
	skip
}

// expect: states 10
// expect: assertions hold
// expect: end states valid
// expect: never violated under none
// expect: never violated under weak process
