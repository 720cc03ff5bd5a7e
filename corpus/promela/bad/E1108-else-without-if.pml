#else
init { skip }
