// A message of another width does no harm where it is neither sent nor received: a receive from an empty
// channel, one that does not match, a look at some fields, and polls.
chan g = [1] of { byte, byte };
chan wide = [1] of { byte, byte, byte };
byte x, y, z;
active proctype P() {
    chan c = g;
    if :: c?x -> assert(false) :: c?x,y,z -> assert(false) :: x = 1 fi;
    c!1,2;
    if :: c?7 -> assert(false) :: c?1,7,3 -> assert(false) :: x = 2 fi;
    c?<y>;
    assert(y == 1 && c?[1] && !c?[7] && g?[1] && !g?[7,2,3] && c?[1,2,_]);
    c?x,y
}

// expect: states 8
// expect: assertions hold
// expect: end states valid
