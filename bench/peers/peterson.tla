---- MODULE peterson ----
(* Peterson's lock for @N@ processes, a step a statement. Each wants again and again. *)
EXTENDS Naturals
VARIABLES pc, l, level, last
vars == <<pc, l, level, last>>
P == 0..(@N@ - 1)
Init == /\ pc = [i \in P |-> "idle"]
        /\ l = [i \in P |-> 0]
        /\ level = [i \in P |-> 0]
        /\ last = [j \in 0..(@N@ - 1) |-> 0]
Wish(i) == /\ pc[i] = "idle"
           /\ l' = [l EXCEPT ![i] = 1]
           /\ pc' = [pc EXCEPT ![i] = "wants"]
           /\ UNCHANGED <<level, last>>
Rise(i) == /\ pc[i] = "wants" /\ l[i] < @N@
           /\ level' = [level EXCEPT ![i] = l[i]]
           /\ pc' = [pc EXCEPT ![i] = "sign"]
           /\ UNCHANGED <<l, last>>
Sign(i) == /\ pc[i] = "sign"
           /\ last' = [last EXCEPT ![l[i]] = i]
           /\ pc' = [pc EXCEPT ![i] = "wait"]
           /\ UNCHANGED <<l, level>>
Wait(i) == /\ pc[i] = "wait"
           /\ (last[l[i]] /= i \/ \A j \in P : j = i \/ level[j] < l[i])
           /\ pc' = [pc EXCEPT ![i] = "next"]
           /\ UNCHANGED <<l, level, last>>
Step(i) == /\ pc[i] = "next"
           /\ l' = [l EXCEPT ![i] = @ + 1]
           /\ pc' = [pc EXCEPT ![i] = "wants"]
           /\ UNCHANGED <<level, last>>
Come(i) == /\ pc[i] = "wants" /\ l[i] = @N@
           /\ pc' = [pc EXCEPT ![i] = "inside"]
           /\ UNCHANGED <<l, level, last>>
Stay(i) == /\ pc[i] = "inside"
           /\ pc' = [pc EXCEPT ![i] = "leave"]
           /\ UNCHANGED <<l, level, last>>
Leave(i) == /\ pc[i] = "leave"
            /\ level' = [level EXCEPT ![i] = 0]
            /\ pc' = [pc EXCEPT ![i] = "idle"]
            /\ UNCHANGED <<l, last>>
Proc(i) == Wish(i) \/ Rise(i) \/ Sign(i) \/ Wait(i) \/ Step(i) \/ Come(i) \/ Stay(i) \/ Leave(i)
Next == \E i \in P : Proc(i)
Spec == Init /\ [][Next]_vars /\ \A i \in P : @FAIR@_vars(Proc(i))
Served == (pc[0] = "wants") ~> (pc[0] = "inside")
====
