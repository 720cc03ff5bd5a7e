init { skip }
/* no end
