byte n;
active proctype A() {
    n = 1 + run B(2);
    n = n + 2 * run B(n);
    n = !run B(0);
    printf("%d\n", run B(1));
    assert(run B(1) > 1)
}
proctype B(byte k) { n == k }

// expect: states 34
// expect: assertions hold
// expect: end states invalid
