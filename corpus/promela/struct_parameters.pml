// A process gets the fields of a struct, channels among them, in place of the values and channels that
// the typedef declares. Its own copy changes.
typedef Inner { int v = 2; chan c = [1] of {byte} };
typedef Outer { Inner i; bool b };
Outer g;
proctype Taker(Outer m; byte k) {
    m.i.v = m.i.v + k;
    assert(m.i.v == 6 && m.b);
    m.i.c!k
}
init {
    byte y;
    Outer mine;
    g.i.v = 5;
    g.b = true;
    mine.i.v = 4;
    mine.b = true;
    run Taker(g, 1);
    run Taker(mine, 2);
    g.i.c?y;
    assert(y == 1);
    mine.i.c?y;
    assert(y == 2);
    assert(g.i.v == 5 && mine.i.v == 4)
}

// expect: states 68
// expect: assertions hold
// expect: end states valid
