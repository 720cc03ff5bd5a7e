mtype = { red, green };
mtype = { green, blue };
init { skip }
