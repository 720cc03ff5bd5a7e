// A declaration among statements is a step; before it the variable is 0.
byte g;
active [2] proctype P(byte n) {
    byte a = 3; byte b = a + g;
    do
    :: g < 4 -> byte c = a + g; g++; int d; d = c; c = 0; if :: byte e = 2; g = g + e; e = 0 :: skip fi; d = 0
    :: else -> break
    od;
    byte z[2]; z[1] = 4; a = z[1]
}

// expect: states 5395
// expect: assertions hold
// expect: end states valid
