byte x;
ltl p { [] (x == 0) }
ltl p { <> (x == 0) }
init { skip }
