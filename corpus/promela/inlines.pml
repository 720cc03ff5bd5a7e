byte x, y;
inline add(v, n) { byte t; t = n; do :: t > 0 -> v++; t-- :: else -> break od }
inline twice(v) { add(v, 1); add(v, 2) }
active proctype P() { twice(x); if :: x > 2 -> add(y, x) :: else fi }
active proctype Q() { atomic { add(y, 2); x = 0 } }

// expect: states 168
// expect: assertions hold
// expect: end states valid
