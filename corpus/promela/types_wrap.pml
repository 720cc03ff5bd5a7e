// What does not fit is cut off; arrays of bits hold bytes.
byte b = 250; bit t; bool f[2]; short s = 32766; unsigned u : 3 = 6; int i = 2147483647; byte a[2];
active proctype P() {
    b = b + 10; b--; b = b - 10; t = 3; t = t + 1; f[1] = 7; s++; s++; u++; u = u + 3; i++;
    if :: i < 0 -> i = i + i :: else -> i = 1 fi;
    i = (b * 1000000) * 1000; i = i >> 3; i = -7 % 3; i = -7 / 2; i = ~b; i = (b << 24) << 5;
    a[f[1] - 6] = 300; s = b * b * b; t = f[1]; i = (b & 6) | (u ^ 5); b = -1
}

// expect: states 26
// expect: assertions hold
// expect: end states valid
