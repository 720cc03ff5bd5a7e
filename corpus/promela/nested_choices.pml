// Choices that begin an option are drawn together, each `else` looking at what is before it.
byte x;
active proctype P() {
    do
    :: if :: x < 3 -> x++ :: x == 1 -> x = 5 :: else -> x = 0 fi
    :: x > 4 -> do :: x > 0 -> x-- :: else -> break od
    :: { x == 2 -> if :: x = 9 :: skip fi; x++ }
    :: x > 200 -> skip; skip; skip; x = 1
    :: false -> x = 99
    od
}
active proctype Q() { do :: x == 2 -> x = 4; printf("two\n"); skip; skip; x = 3 :: else od }

// expect: states 166
// expect: assertions hold
// expect: end states valid
