// Two-phase commit: the coordinator commits if both participants have voted yes, and tells them.
// There is a mistake: a participant that has voted yes may lose patience and abort alone.
#define FIXED 0                 // 1: after a yes, a participant waits for the decision

mtype = { undecided, yes, no, commit, abort };
chan vote = [2] of { mtype };
chan decision[2] = [1] of { mtype };
mtype outcome[2] = undecided;

active proctype Coordinator() {
    mtype first, second, result = abort;
    vote?first;
    vote?second;
    if
    :: first == yes && second == yes -> result = commit
    :: else
    fi;
    decision[0]!result;
    decision[1]!result
}

active [2] proctype Participant() {
    mtype told;
    if
    :: vote!yes ->
       if
       :: decision[_pid - 1]?told -> outcome[_pid - 1] = told
       :: !FIXED -> outcome[_pid - 1] = abort           // no patience
       fi
    :: vote!no -> outcome[_pid - 1] = abort
    fi
}

// Safety: nobody commits where the other aborts. It fails. The run shows who decided what, and when;
// then set FIXED to 1 and check again. No fairness helps here: safety fails after finitely many steps.
ltl agreement {
    [] !((outcome[0] == commit && outcome[1] == abort) || (outcome[0] == abort && outcome[1] == commit))
}

// Liveness: both decide. It holds without fairness, since no process can go round in circles.
// Let the coordinator end before it tells (delete a line) and see who waits.
ltl decided { <> (outcome[0] != undecided && outcome[1] != undecided) }
