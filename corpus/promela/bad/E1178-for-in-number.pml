byte n, i;
init { for (i in n) { skip } }
