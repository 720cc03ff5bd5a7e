#ifdef N
byte x;
init { skip }
