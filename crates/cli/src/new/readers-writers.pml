// Readers and a writer share a document: any number may read at a time, or one may write.
// There is a mistake: readers take turns so that there is always one, and the writer waits for ever.
#define FIXED 0                 // 1: readers let a waiting writer go first

byte reading, writing, waiting;

active [2] proctype Reader() {
    do
    :: atomic { writing == 0 && (!FIXED || waiting == 0) -> reading++ };
       reading--
    od
}

active proctype Writer() {
    do
    :: waiting++;
wants: atomic { reading == 0 && writing == 0 -> writing++; waiting-- };
writes: writing--
    od
}

// Safety: nobody reads what is being written. It holds.
ltl exclusive { [] !(writing > 0 && reading > 0) }

// Liveness: the writer gets its turn. It fails, and strong fairness does not help: while the readers
// overlap, the writer is never able to write. `fairly ladder -p served` shows what would help. Then
// set FIXED to 1: it holds without any fairness, since the readers have to wait, too.
ltl served { [] (Writer[2]@wants -> <> Writer[2]@writes) }
