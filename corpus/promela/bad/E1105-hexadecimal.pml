byte x = 0x1f;
init { skip }
