---- MODULE philosophers ----
(* @N@ dining philosophers; the last one takes the other fork first, so there is no deadlock. *)
EXTENDS Naturals
VARIABLES pc, taken
vars == <<pc, taken>>
P == 0..(@N@ - 1)
First(i) == IF i = @N@ - 1 THEN 0 ELSE i
Second(i) == IF i = @N@ - 1 THEN i ELSE i + 1
Init == pc = [i \in P |-> "start"] /\ taken = [i \in P |-> FALSE]
Go(i, from, to) == pc[i] = from /\ pc' = [pc EXCEPT ![i] = to]
Proc(i) == \/ Go(i, "start", "idle") /\ UNCHANGED taken
           \/ Go(i, "idle", "wants") /\ UNCHANGED taken
           \/ Go(i, "wants", "one") /\ ~taken[First(i)] /\ taken' = [taken EXCEPT ![First(i)] = TRUE]
           \/ Go(i, "one", "inside") /\ ~taken[Second(i)] /\ taken' = [taken EXCEPT ![Second(i)] = TRUE]
           \/ Go(i, "inside", "two") /\ UNCHANGED taken
           \/ Go(i, "two", "three") /\ taken' = [taken EXCEPT ![Second(i)] = FALSE]
           \/ Go(i, "three", "idle") /\ taken' = [taken EXCEPT ![First(i)] = FALSE]
Next == \E i \in P : Proc(i)
Spec == Init /\ [][Next]_vars /\ \A i \in P : @FAIR@_vars(Proc(i))
Served == (pc[0] = "wants") ~> (pc[0] = "inside")
====
