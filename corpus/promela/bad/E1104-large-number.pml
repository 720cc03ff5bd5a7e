int x = 2147483648;
init { skip }
