#define id(a) a
byte x;
init { x = id(1 }
