byte x;
ltl p { [] x == 1 }
init { skip }
