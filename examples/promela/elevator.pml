// An elevator in a house with three floors. People press buttons; the cabin goes on in its
// direction as long as there is a call ahead, then turns. Doors are closed while it moves.
// Everybody is served, if the cabin, which is able to go on, does so: the other processes only
// press buttons.
//
//     fairly check examples/promela/elevator.pml
//     fairly check --fairness weak --level process examples/promela/elevator.pml
#define FLOORS 3

mtype = { up, down };
bool called[FLOORS];
byte floor;
bool open;
bool moving;
mtype direction = up;

#define above ((floor < 1 && called[1]) || (floor < 2 && called[2]))
#define below ((floor > 1 && called[1]) || (floor > 0 && called[0]))

// One floor on, or a turn, if anybody calls elsewhere.
inline go() {
    if
    :: direction == up && above -> atomic { moving = true; floor++ }; moving = false
    :: direction == down && below -> atomic { moving = true; floor-- }; moving = false
    :: direction == up && !above && below -> direction = down
    :: direction == down && !below && above -> direction = up
    :: else
    fi
}

active proctype Cabin() {
end:
    do
    :: called[floor] ->
       open = true;
       called[floor] = false;
       open = false;
       go() // Even if somebody here calls again at once.
    :: !called[floor] && (above || below) -> go()
    od
}

// On each floor somebody who may press the button, and may never do so again, busy otherwise.
active [FLOORS] proctype Person() {
    byte here = _pid - 1;
end:
    do
    :: !called[here] -> called[here] = true
    :: true -> skip
    od
}

ltl safe { [] !(open && moving) }
ltl in_house { [] (floor < FLOORS) }
ltl served { [] (called[2] -> <> (open && floor == 2)) }

// expect: states 4719
// expect: assertions hold
// expect: end states valid
// expect: ltl safe holds under none
// expect: ltl safe holds under weak process
// expect: ltl in_house holds under none
// expect: ltl in_house holds under weak process
// expect: ltl served violated under none
// expect: ltl served holds under weak process
// expect: ltl served holds under strong process
