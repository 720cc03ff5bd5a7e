byte x;
init { x = /*@ wf */ 1 }
