// The public-key protocol of Needham and Schroeder (1978) with the attack of Lowe (1995). Alice
// talks to Bob or to the intruder; the intruder reads what is encrypted for it, keeps what it
// learns, and passes on what it cannot read. It gets Alice to decrypt Bob's nonce for it: Bob ends
// a session with the intruder and believes that it was Alice. `#define LOWE 1` puts the name of the
// responder into the second message, as Lowe did, and the attack is gone.
//
//     fairly check examples/promela/needham_schroeder.pml
#define LOWE 0

mtype = { none, alice, bob, intruder, nonce_a, nonce_b, nonce_i, msg1, msg2, msg3 };

// Kind of message, whose key it is encrypted with, and what is inside.
chan net = [0] of { mtype, mtype, mtype, mtype, mtype };

mtype alice_with = none, bob_with = none; // Whom each believes to have talked to.
bool alice_done, bob_done;
bool knows_a, knows_b; // The intruder's knowledge.

active proctype Alice() {
    mtype partner, nonce, name = none;
    if
    :: partner = bob
    :: partner = intruder
    fi;
    if
    :: LOWE -> name = partner
    :: else
    fi;
    net!msg1, partner, alice, nonce_a, none;
end_wait:
    net?msg2, alice, nonce_a, nonce, eval(name);
    net!msg3, partner, nonce, none, none;
    atomic { alice_with = partner; alice_done = true }
}

active proctype Bob() {
    mtype partner, nonce;
end_wait:
    net?msg1, bob, partner, nonce, none;
    net!msg2, partner, nonce, nonce_b, (LOWE -> bob : none);
end_confirm:
    net?msg3, bob, nonce_b, none, none;
    atomic { bob_with = partner; bob_done = true }
}

active proctype Intruder() {
    mtype kind, key, x, y, z;
end:
    do
    // Everything goes through its hands.
    :: net?kind, key, x, y, z ->
       d_step {
           if
           :: key == intruder ->
              knows_a = knows_a || x == nonce_a || y == nonce_a;
              knows_b = knows_b || x == nonce_b || y == nonce_b
           :: else
           fi
       }
       if
       :: net!kind, key, x, y, z // As it came; to itself it cannot send.
       :: true // Lost, or kept for its own use.
       fi;
       d_step { kind = none; key = none; x = none; y = none; z = none }
    // What it can make of what it knows.
    :: net!msg1, bob, (knows_a -> alice : intruder), (knows_a -> nonce_a : nonce_i), none
    :: net!msg1, bob, intruder, nonce_i, none
    :: knows_b ->
       if
       :: net!msg3, bob, nonce_b, none, none
       :: true
       fi
    od
}

ltl secret { [] (bob_done && bob_with == alice -> !knows_b) }
ltl authentic { [] (bob_done && bob_with == alice -> alice_with != intruder) }

// expect: states 171
// expect: assertions hold
// expect: end states valid
// expect: ltl secret violated under none
// expect: ltl secret violated under weak process
// expect: ltl secret violated under strong process
// expect: ltl authentic violated under none
// expect: ltl authentic violated under weak process
// expect: ltl authentic violated under strong process
