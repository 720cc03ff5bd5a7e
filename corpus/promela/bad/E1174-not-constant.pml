byte n;
byte a[n + 1];
init { skip }
