byte x = 'ab';
init { skip }
