byte count;
init { cuont = 1 }
