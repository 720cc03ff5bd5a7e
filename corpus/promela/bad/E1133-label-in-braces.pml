init {
  atomic { L: skip; skip };
  goto L
}
