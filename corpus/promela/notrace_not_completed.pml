/* Only what comes first counts: after 3 the notrace is over. */
chan c = [2] of { byte };
notrace { c!1; c!2 }
active proctype A() { byte x; c!1; c?x; if :: c!3 :: c!4 fi; c!1; c?x; do :: c!2; c?x od }

// expect: states 15
// expect: assertions hold
// expect: end states valid
