byte x;
trace { do :: x == 1 od }
init { skip }
