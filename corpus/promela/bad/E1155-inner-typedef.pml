init {
  typedef T { byte x };
  skip
}
