init {
  if
  :: else -> skip
  :: else -> skip
  fi
}
