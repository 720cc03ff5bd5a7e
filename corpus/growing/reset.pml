// grows: nothing
int n;
bool x[12];
active proctype P() { do :: n = (n + 7) % 50 od }
active [12] proctype Q() { do :: x[_pid - 1] = !x[_pid - 1] od }
ltl p { [] (n >= 0 || x[0] || x[11]) }
