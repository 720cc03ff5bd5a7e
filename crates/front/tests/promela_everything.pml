/* One of everything. */
// expect: p holds
#define N 2
#define max(a, b) ((a) > (b) -> (a) : (b))
#if defined(N) && N > 1
mtype = { ping, pong }; mtype:fruit = { apple };
#else
#error "no"
#endif
typedef In { byte v[2]; bool w };
typedef Out { In a[2]; unsigned u : 3 };
hidden byte h; show int s = 'a'; local short l; Out o; In i;
chan c[2] = [N] of { mtype, byte, chan }; chan q = [1] of { In };
inline up(x, y) { int k = y; x = x + k; L: skip; if :: x > 3 -> goto L :: else fi }
inline get(x) { return x * 2 }
active [N] proctype P(byte n; mtype m) priority 2 provided (h < 9) {
  byte j, r[3] = { 1, 2, 3 };
end0: do
  /*@ sf */ :: c[0]!ping, n, c[1]; h++
  :: c[1]??eval(m), j, _ -> atomic { h--; c[0]!!pong(1, c[1]) }
  :: c[0]?<ping, j, _>; c[0]?[pong, 1, _] || nfull(q) && len(q) < 1
  :: d_step { j = max(j, n); r[j % 3] = -1 ^ ~2 } unless { timeout -> break }
  :: up(h, j + 1)
     h = get(j)
  :: else
     -> for (j in r) { skip }
     for (i in q) { h++ }
     for (j : 0 .. 2) { byte z = j; z++ }
     select (j : 1 .. 3)
     select (j : n .. 3)
  od
progress: printf("%d\n", _pid, _nr_pr); assert(h >= 0); q!i; q?i; goto end0
}
D_proctype Q() { xr q; o.a[1].v[0] = run Q() priority 3; set_priority(_pid, get_priority(_pid)) }
init { int x = 1; { x = 2 } unless { enabled(1) && pc_value(1) > 2 }; run P(1, ping); run Q() }
never { accept: do :: np_ || _last == 1 :: P[1]@end0 || P:j == 1 -> goto accept od }
trace { do :: c[0]!ping, _, 2 :: q?_ od }
ltl p { [] (h < 9) -> <> (P@progress U P[1]:j W X always eventually h release s equivalent l) }
ltl { (h == 1 /\ s) \/ <> [] l implies (h until s) }
