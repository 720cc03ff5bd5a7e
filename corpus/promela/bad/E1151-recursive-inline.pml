byte x;
inline up(a) { a++; up(a) }
init { up(x) }
