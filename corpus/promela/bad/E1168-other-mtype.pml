mtype:fruit = { apple, pear };
mtype:colour = { red, blue };
mtype:fruit f;
init { f = red }
