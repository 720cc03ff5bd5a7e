// grows: nothing
#define N 10
#define FIRST (_pid == N - 1 -> 0 : _pid)
#define SECOND (_pid == N - 1 -> N - 1 : _pid + 1)
bool fork[N];
active [N] proctype P() {
  do
  :: atomic { !fork[FIRST] -> fork[FIRST] = true };
     atomic { !fork[SECOND] -> fork[SECOND] = true };
     fork[FIRST] = false;
     fork[SECOND] = false
  od
}
