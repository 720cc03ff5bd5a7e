/* len depends on both ends of a channel, so neither end may ask for it. */
chan c = [2] of { byte };
byte n;
active proctype Receiver() { byte x; xr c; c?x; d_step { x = 0; n = len(c) } }
active proctype Sender() { xs c; c!1; c!2 }

// expect: states 14
// expect: assertions violated
// expect: end states valid
