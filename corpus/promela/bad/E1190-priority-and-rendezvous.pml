chan c = [0] of { byte };
active proctype P() priority 3 { c!1 }
active proctype Q() { c?1 }
