init {
  printf("hello);
  skip
}
