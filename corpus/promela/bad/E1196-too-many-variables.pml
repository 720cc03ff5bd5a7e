int x[1000000];
int y[1000000];
int z[1000000];
int u[1000000];
int v[1000000];
active proctype P() { skip }
