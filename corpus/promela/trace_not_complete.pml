/* All processes may stop, but the trace may not. */
chan c = [1] of { byte };
trace { c!1; c?1; c!2 }
active proctype A() { byte x; c!1; if :: c?x; c!2 :: true fi; end: false }

// expect: states 5
// expect: assertions hold
// expect: end states invalid
