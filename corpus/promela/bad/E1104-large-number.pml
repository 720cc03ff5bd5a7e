int x = 9223372036854775808;
init { skip }
