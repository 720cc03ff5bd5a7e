// A bank as structures with arrays inside: transfers between the accounts of two branches, each
// done in two steps by a clerk. Money is never made; while a transfer is on its way it is in the
// books of the clerk. `unsigned` has as many bits as are asked for.
//
//     fairly check examples/promela/typedef.pml
#define ACCOUNTS 2
#define BRANCHES 2
#define MONEY 3

typedef Branch {
    unsigned balance : 3 = 0;
    byte account[ACCOUNTS]
}
typedef Transfer {
    byte from, to;
    byte amount
}
typedef Bank {
    Branch branch[BRANCHES];
    Transfer pending
}
Bank bank;

#define total(b) (bank.branch[b].account[0] + bank.branch[b].account[1])

init {
    byte i;
    Transfer t;
    bank.branch[0].account[0] = MONEY;
    bank.branch[0].balance = MONEY;
    do
    :: atomic {
           if
           :: t.from = 0; t.to = 1
           :: t.from = 1; t.to = 0
           fi;
           select (i : 0 .. ACCOUNTS - 1)
       }
       if
       :: d_step {
              bank.branch[t.from].account[i] > 0 ->
              bank.branch[t.from].account[i]--;
              bank.branch[t.from].balance--;
              t.amount = 1;
              bank.pending.from = t.from; bank.pending.to = t.to; bank.pending.amount = t.amount
          }
          assert(total(0) + total(1) + bank.pending.amount == MONEY);
          d_step {
              bank.branch[t.to].account[i] = bank.branch[t.to].account[i] + bank.pending.amount;
              bank.branch[t.to].balance = bank.branch[t.to].balance + bank.pending.amount;
              bank.pending.amount = 0; bank.pending.from = 0; bank.pending.to = 0;
              t.from = 0; t.to = 0; t.amount = 0; i = 0
          }
       :: else -> d_step { t.from = 0; t.to = 0; i = 0 }
       fi;
       assert(bank.branch[0].balance == total(0) && bank.branch[1].balance == total(1))
    od
}

ltl books { [] (bank.branch[0].balance <= MONEY && bank.branch[1].balance <= MONEY) }
ltl moves { <> (bank.branch[1].account[0] > 0) } // It may refuse every time, or go elsewhere.

// expect: states 48
// expect: assertions hold
// expect: end states valid
// expect: ltl books holds under none
// expect: ltl books holds under weak process
// expect: ltl moves violated under none
// expect: ltl moves violated under weak process
// expect: ltl moves violated under strong process
