uint x;
init { skip }
