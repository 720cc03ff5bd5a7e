byte x;
inline set(a, b) { a = b }
init { set(x) }
