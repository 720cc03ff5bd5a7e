// Two-phase commit: the coordinator asks two participants for their votes and commits only if both
// say yes. Nobody decides differently from another. But if the coordinator crashes between the
// votes and the decision, a participant that has said yes waits for ever: the protocol blocks.
//
//     fairly check examples/promela/two_phase_commit.pml
#define N 2

mtype = { unknown, yes, no, commit, abort };
chan vote = [N] of { mtype };
chan decision[N] = [1] of { mtype };
mtype decided[N] = unknown;
bool crashed;

active proctype Coordinator() {
    byte i;
    mtype v, result = commit;
    {
        for (i : 0 .. N - 1) {
            vote?v;
            if
            :: v == no -> result = abort
            :: else
            fi
        }
        for (i : 0 .. N - 1) {
            decision[i]!result
        }
    } unless {
        atomic { crashed -> printf("the coordinator is down\n") }
    }
}

active [N] proctype Participant() {
    byte me = _pid - 1;
    mtype d;
    if
    :: vote!yes;
uncertain:
       decision[me]?d;
       decided[me] = d
    :: decided[me] = abort; // It may decide this alone.
       vote!no
    fi;
    // Nobody commits where another aborts.
    assert(!(decided[0] == commit && decided[1] == abort));
    assert(!(decided[0] == abort && decided[1] == commit))
}

active proctype Fate() {
    if
    :: crashed = true
    :: skip
    fi
}

ltl agreement { [] !(decided[0] != unknown && decided[1] != unknown && decided[0] != decided[1]) }
ltl decides { <> (decided[0] != unknown && decided[1] != unknown) }
ltl decides_without_crash { [] !crashed -> <> (decided[0] != unknown && decided[1] != unknown) }

// expect: states 5843
// expect: assertions hold
// expect: end states invalid
// expect: ltl agreement holds under none
// expect: ltl agreement holds under weak process
// expect: ltl decides violated under none
// expect: ltl decides violated under weak process
// expect: ltl decides violated under strong process
// expect: ltl decides_without_crash holds under none
// expect: ltl decides_without_crash holds under weak process
