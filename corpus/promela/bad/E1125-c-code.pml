int x;
init {
  c_code { now.x = 1; }
}
