init {
  do
  /*@ fair */ :: skip
  od
}
