// grows: `P[0].mine` (line 4)
byte turn;
active proctype P() {
  int mine;
  do
  :: turn == 0 -> mine = mine + 3; turn = 1
  :: turn == 1 -> assert(mine >= 0); turn = 0
  od
}
