// A receiver is moved by the sender: escapes that do not receive are not asked.
chan c = [0] of { byte }; chan d = [0] of { byte }; byte x;
active proctype P() {
    byte y;
    do :: { c?y; x = y; c?y } unless { x == 1 -> x = 5 } :: { d?y; x = 3 } unless { c?y -> x = 0 } od
}
active proctype Q() { c!1; d!2; c!3; x = 1; c!1; x = 0 }
active proctype R() { d!7; { c!4; d!5 } unless { d!6 } }

// expect: states 200
// expect: assertions hold
// expect: end states invalid
