#define max(a, 3) a
init { skip }
