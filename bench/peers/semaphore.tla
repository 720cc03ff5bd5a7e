---- MODULE semaphore ----
(* @N@ processes and one semaphore. *)
EXTENDS Naturals
VARIABLES pc, free
vars == <<pc, free>>
P == 0..(@N@ - 1)
Init == pc = [i \in P |-> "idle"] /\ free = TRUE
Wish(i) == pc[i] = "idle" /\ pc' = [pc EXCEPT ![i] = "wants"] /\ UNCHANGED free
Come(i) == pc[i] = "wants" /\ free /\ free' = FALSE /\ pc' = [pc EXCEPT ![i] = "inside"]
Stay(i) == pc[i] = "inside" /\ pc' = [pc EXCEPT ![i] = "leave"] /\ UNCHANGED free
Leave(i) == pc[i] = "leave" /\ free' = TRUE /\ pc' = [pc EXCEPT ![i] = "idle"]
Proc(i) == Wish(i) \/ Come(i) \/ Stay(i) \/ Leave(i)
Next == \E i \in P : Proc(i)
Spec == Init /\ [][Next]_vars /\ \A i \in P : @FAIR@_vars(Proc(i))
Served == (pc[0] = "wants") ~> (pc[0] = "inside")
====
