init {
  L: byte x;
  skip
}
