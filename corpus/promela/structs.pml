// Structs in structs and arrays, whole as messages.
typedef In { bit f; byte v[2] }; typedef Out { In in[2]; byte z = 5 };
Out o[2]; chan c = [1] of { byte, In };
active proctype P() { In m; byte k; o[1].in[0].v[1] = 4; o[0].z++; m.v[0] = 3; m.f = 3; c!o[0].z,m; o[1].in[1].f = 1; k = o[1].in[0].v[o[1].in[1].f]; o[k - 4].in[1].v[0] = o[1].z }
active proctype Q() { In g; byte h; c?h,g; assert(h == 6 && g.f == 1 && g.v[0] == 3); h = 0 }

// expect: states 26
// expect: assertions hold
// expect: end states valid
