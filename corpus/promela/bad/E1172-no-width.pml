unsigned x;
init { skip }
