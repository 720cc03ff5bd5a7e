init {
  if
  :: true -> { }
  fi
}
