// A proctype of which there is never a process, with channels and an accept label.
byte x;
proctype Never(bit b) {
    chan own[2] = [1] of { byte };
    byte v;
    own[b]!1;
accept:
    own[1]?v
}
active proctype P() { x = 1 }

// expect: states 3
// expect: assertions hold
// expect: end states valid
