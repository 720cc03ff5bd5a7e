chan c = [0] of { byte };
active proctype P() { byte x; end_wait: do :: c?x -> if :: x == 2 -> goto stuck :: else fi od; stuck: false }
active proctype Q() { c!1; do :: c!2 -> break :: true -> goto end_it od; end_it: c!3 }

// expect: states 11
// expect: assertions hold
// expect: end states invalid
