hidden bit b;
init { skip }
