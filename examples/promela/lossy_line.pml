// Fairness of one choice. A sender repeats a message until it hears that it has arrived; a line keeps
// each message or loses it. No fairness of processes excludes a line that loses everything: the line
// moves, and which option it takes is its own affair. What is meant is fairness of one branch: a line
// that can keep a message again and again keeps one now and then. The annotation below says so; SPIN
// takes it for a comment, and `--fairness` leaves it out.
//
//     fairly check -p delivered examples/promela/lossy_line.pml
//     fairly check -p delivered --fairness weak examples/promela/lossy_line.pml
//     fairly check -p delivered --fairness weak --constraint 'sf(Line.keep)' examples/promela/lossy_line.pml
chan sent = [1] of { bit };
chan heard = [1] of { bit };
bool arrived;

active proctype Sender() {
    do
    :: sent!1
    :: heard?_ -> break
    od
}

active proctype Line() {
end:
    do
    :: sent?_;
       if
       :: arrived
       :: /*@ sf */ atomic {
              !arrived ->
keep:         arrived = true
          };
          heard!1
       :: !arrived // Lost.
       fi
    od
}

ltl delivered { <> arrived }
ltl at_most_once { [] (len(heard) <= 1) }
ltl answered { (<> arrived) -> <> (len(heard) == 1) }

// expect: states 14
// expect: assertions hold
// expect: end states valid
// expect: ltl delivered violated under none
// expect: ltl delivered violated under weak process
// expect: ltl delivered violated under strong process
// expect: ltl delivered holds under annotations
// expect: ltl delivered holds under weak process with sf(Line.keep)
// expect: ltl delivered holds under none with sf("Line:28")
// expect: ltl at_most_once holds under none
// expect: ltl at_most_once holds under weak process
// expect: ltl answered holds under none
// expect: ltl answered holds under weak process
