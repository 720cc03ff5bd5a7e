#if 1 +
byte x;
#endif
init { skip }
