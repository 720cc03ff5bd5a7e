chan c = [1] of { byte };
chan d;
active proctype P() { d = c; d!1 }
trace { d!1 }
