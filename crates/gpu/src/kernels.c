/* Searches on a card, for one model. The same text is C for a processor, where a block has one thread and a grid one
   block. What comes before it defines WORDS and the other constants, and the tables of the product. */

#ifdef __CUDACC_RTC__
#define DEV static __device__ __forceinline__
#define KERNEL extern "C" __global__ void __launch_bounds__(BLOCK)
#define SHARED __shared__
#define SYNC __syncthreads()
#define TID threadIdx.x
#define FIRST_BLOCK blockIdx.x
#define BLOCKS gridDim.x
#define FENCE __threadfence()
DEV u64 fresh(const u64 *p) { return *(const volatile u64 *)p; }
DEV u64 acquired(const u64 *p) { u64 v; asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory"); return v; }
DEV void published(u64 *p, u64 v) { asm volatile("st.release.gpu.global.u64 [%0], %1;" :: "l"(p), "l"(v) : "memory"); }
#define SWAP(p, old, new) atomicCAS((p), (u64)(old), (u64)(new))
#define ADD(p, n) atomicAdd((p), (u64)(n))
#define ADD32(p, n) atomicAdd((p), (n))
#define OR(p, n) atomicOr((p), (n))
#define LEAST(p, n) atomicMin((p), (u64)(n))
#else
#define DEV static inline
#define KERNEL void
#define SHARED static
#define SYNC ((void)0)
#define TID 0
#define FIRST_BLOCK 0
#define BLOCKS 1
#undef BLOCK
#define BLOCK 1
#define FENCE ((void)0)
DEV u64 fresh(const u64 *p) { return *p; }
DEV u64 acquired(const u64 *p) { return *p; }
DEV void published(u64 *p, u64 v) { *p = v; }
DEV u64 SWAP(u64 *p, u64 old, u64 new_) { u64 o = *p; if (o == old) *p = new_; return o; }
DEV u64 ADD(u64 *p, u64 n) { u64 o = *p; *p += n; return o; }
DEV u32 ADD32(u32 *p, u32 n) { u32 o = *p; *p += n; return o; }
#define OR(p, n) (*(p) |= (n))
DEV void LEAST(u64 *p, u64 n) { if (n < *p) *p = n; }
#endif

typedef struct { u64 *b[10]; u64 n[8]; } Params;

#define COPY(to, from) for (int k_ = 0; k_ < WORDS; k_++) to[k_] = from[k_]
#define DECLINE(label) { declined = 1; goto out##label; }

DEV int product_fits(i64 a, i64 b) {
  if (a == 0 || b == 0) return 1;
  i64 p = (i64)((u64)a * (u64)b);
  if ((a == -1 && b == LEAST_NUMBER) || (b == -1 && a == LEAST_NUMBER)) return 0;
  return p / b == a;
}

/* Counters, by position in the buffer for them. */
#define ROWS_ 0
#define STEPS_ 1
#define REPORTS_ 2
#define FULL_ 3
#define CHANGED_ 4
#define LISTED_ 5
#define LOST_ 6
#define KILLED_ 7
#define STUCK_ 8
#define NODES_ 9

/* Kinds of reports, in the lowest bits. */
#define DECLINED_ 0
#define STUCK_REPORT_ 1
#define GOAL_ 2

DEV u64 mixed(u64 x) {
  x ^= x >> 32; x *= 0x9fb21c651e98df25ULL; x ^= x >> 29; x *= 0xd6e8feb86659fd93ULL; x ^= x >> 32;
  return x;
}

DEV u64 hashed(const u64 *row) {
  u64 h = mixed(row[0]);
  for (int k = 1; k < WORDS; k++) h = mixed(h ^ (row[k] + 0x9e3779b97f4a7c15ULL * (u64)k));
  return h;
}

/* Buckets of eight: a thread looks at the ones that follow if one is full. */
#define PROBES 512

#if PLAIN
/* A slot holds the only word of a row, plus one. 1: new; 0: known; -1: no room. */
DEV int put(u64 *table, u64 mask, const u64 *row, u64 *rows, u64 most, u64 *counters) {
  u64 key = row[0] + 1, b = hashed(row) & mask;
  for (int p = 0; p < PROBES; p++) {
    u64 *at = table + b * 8;
    for (int i = 0; i < 8; i++) {
      u64 v = at[i];
      if (v == key) return 0;
      if (v == 0) {
        u64 o = SWAP(at + i, 0, key);
        if (o == 0) return 1;
        if (o == key) return 0;
      }
    }
    b = (b + 1) & mask;
  }
  return -1;
}
/* One more than the number of a node, which is its slot; 0 if there is none. */
DEV u64 found(const u64 *table, u64 mask, const u64 *row, const u64 *rows) {
  u64 key = row[0] + 1, b = hashed(row) & mask;
  for (int p = 0; p < PROBES; p++) {
    const u64 *at = table + b * 8;
    for (int i = 0; i < 8; i++) {
      u64 v = at[i];
      if (v == key) return b * 8 + i + 1;
      if (v == 0) return 0;
    }
    b = (b + 1) & mask;
  }
  return 0;
}
DEV int is_node(const u64 *table, u64 id) { return table[id] != 0; }
DEV void row_of(const u64 *table, const u64 *rows, u64 id, u64 *w) { w[0] = table[id] - 1; }
#else
/* A slot holds a part of the hash and one more than the place of the row; all ones for a row that is being written. */
#define LOW ((1ULL << 40) - 1)
DEV int put(u64 *table, u64 mask, const u64 *row, u64 *rows, u64 most, u64 *counters) {
  u64 h = hashed(row), b = h & mask, tag = (h >> 40) << 40;
  for (int p = 0; p < PROBES; p++) {
    u64 *at = table + b * 8;
    for (int i = 0; i < 8; i++) {
      u64 v = fresh(at + i);
      if (v == 0) {
        v = SWAP(at + i, 0, tag | LOW);
        if (v == 0) {
          u64 place = ADD(counters + ROWS_, 1);
          if (place >= most) {
            counters[FULL_] = 1;
            published(at + i, tag | 1);
            return -1;
          }
          for (int k = 0; k < WORDS; k++) rows[place * WORDS + k] = row[k];
          FENCE;
          published(at + i, tag | (place + 1));
          return 1;
        }
      }
      if ((v & ~LOW) == tag) {
        do v = acquired(at + i); while ((v & LOW) == LOW);
        const u64 *known = rows + ((v & LOW) - 1) * WORDS;
        int same = 1;
        for (int k = 0; k < WORDS; k++) same &= fresh(known + k) == row[k];
        if (same) return 0;
      }
    }
    b = (b + 1) & mask;
  }
  return -1;
}
DEV u64 found(const u64 *table, u64 mask, const u64 *row, const u64 *rows) {
  u64 h = hashed(row), b = h & mask, tag = (h >> 40) << 40;
  for (int p = 0; p < PROBES; p++) {
    const u64 *at = table + b * 8;
    for (int i = 0; i < 8; i++) {
      u64 v = at[i];
      if (v == 0) return 0;
      if ((v & ~LOW) == tag) {
        const u64 *known = rows + ((v & LOW) - 1) * WORDS;
        int same = 1;
        for (int k = 0; k < WORDS; k++) same &= known[k] == row[k];
        if (same) return v & LOW;
      }
    }
    b = (b + 1) & mask;
  }
  return 0;
}
DEV int is_node(const u64 *table, u64 id) { return 1; }
DEV void row_of(const u64 *table, const u64 *rows, u64 id, u64 *w) {
  for (int k = 0; k < WORDS; k++) w[k] = rows[id * WORDS + k];
}
#endif

/* Propositions of a state that are asked for. */
DEV u32 props_of(const u64 *w, int *bad) {
  u32 props = 0;
  int declined = 0;
  @PROPS@
  *bad |= declined;
  return props;
}

/* Whether all processes of a state are where they may stay. */
DEV int may_end(const u64 *w) {
  int end = 1;
  @END@
  return end;
}

#if PRODUCT
#define AT(w) ((u32)(((w)[QWORD] >> QSHIFT) & QMASK))
DEV void go(u64 *w, u32 q) { w[QWORD] = (w[QWORD] & ~((u64)QMASK << QSHIFT)) | ((u64)q << QSHIFT); }
#endif

#define QUEUE (BLOCK * GROUP)

#if PART_REACH
#define BUFFER (2 * BLOCK)

/* Appends the rows that are new in this block: only where a table does not do that itself. */
DEV void drain(u64 *fresh_rows, u32 *count, u64 *base, u64 *rows, u64 most, u64 *counters) {
  SYNC;
  if (TID == 0) *base = *count ? ADD(counters + ROWS_, *count) : 0;
  SYNC;
  for (u32 k = TID; k < *count; k += BLOCK) {
    if (*base + k < most) rows[*base + k] = fresh_rows[k]; else counters[FULL_] = 1;
  }
  SYNC;
  if (TID == 0) *count = 0;
  SYNC;
}

/* Expands rows lo to hi. */
KERNEL explore(Params P) {
  u64 *table = P.b[0], *rows = P.b[1], *counters = P.b[2], *reports = P.b[3];
  const u64 mask = P.n[0], lo = P.n[1], hi = P.n[2], most = P.n[3], asked = P.n[4];
  SHARED u64 queue[QUEUE * WORDS];
  SHARED u32 queued;
#if PLAIN
  SHARED u64 new_rows[BUFFER];
  SHARED u32 news;
  SHARED u64 base_of_news;
#endif
#if PRODUCT
  SHARED u32 told[QUEUE];
#if ENTERING
#else
  SHARED u32 letters[BLOCK];
#endif
#endif
  u64 transitions = 0, stuck = 0;
  if (TID == 0) {
    queued = 0;
#if PLAIN
    news = 0;
#endif
  }
  SYNC;
  for (u64 base = lo + (u64)FIRST_BLOCK * BLOCK; base < hi; base += (u64)BLOCKS * BLOCK) {
    const u64 i = base + TID;
    const int live = i < hi;
    int declined = 0;
    u32 steps = 0;
    u64 w[WORDS];
    for (int k = 0; k < WORDS; k++) w[k] = rows[(live ? i : base) * WORDS + k];
#if PRODUCT && !ENTERING
    letters[TID] = props_of(w, &declined);
#elif HAS_GOAL
    if (live) {
      int bad = 0;
      u32 holds = props_of(w, &bad);
      if (holds || bad) reports[ADD(counters + REPORTS_, 1)] = i << 2 | GOAL_;
    }
#endif
#if PRODUCT
#define TELL(place, act) told[place] = ((act) << 10) | TID;
#else
#define TELL(place, act)
#endif
#define EMIT(ok, act) if ((ok) && live && !declined) { \
      steps++; \
      u32 place = ADD32(&queued, 1); \
      COPY((queue + place * WORDS), d); \
      TELL(place, act) \
    }
#if PRODUCT
#define TARGETS(item, row) \
      const u32 owner = told[item] & 1023, act = told[item] >> 10; \
      int bad = 0; \
      const u32 from = AT(row), letter = LETTER(row, owner) | ACTION_H[act] << PROPS; \
      (void)owner; \
      if (bad) counters[LOST_] = 1; \
      u32 left = EDGE_SET[from << LETTER_BITS | letter];
#if ENTERING
#define LETTER(row, owner) props_of(row, &bad)
#else
#define LETTER(row, owner) letters[owner]
#endif
#else
#define TARGETS(item, row) u32 left = 1;
#endif
/* All threads of the block look up what is queued. */
#define LOOK_UP { \
      SYNC; \
      const u32 all = queued; \
      for (u32 first = 0; first < all; first += BLOCK) { \
        const u32 item = first + TID; \
        u64 row[WORDS]; \
        u32 left_ = 0, from_ = 0; \
        if (item < all) { \
          COPY(row, (queue + item * WORDS)); \
          TARGETS(item, row) \
          left_ = left; SAVE_FROM \
        } \
        for (int e = 0; e < MOST_EDGES; e++) { \
          int is_new = 0; \
          if (left_) { \
            STEP_TO(row, from_, left_) \
            is_new = put(table, mask, row, rows, most, counters); \
            if (is_new < 0) counters[FULL_] = 1; \
          } \
          APPEND(is_new, row) \
        } \
      } \
      SYNC; \
      if (TID == 0) queued = 0; \
      SYNC; \
    }
#if PRODUCT
#define SAVE_FROM from_ = from;
#define STEP_TO(row, from, left) { const u32 nth = lowest(left); left &= left - 1; go(row, EDGE_TO[(from) * MOST_EDGES_OF + nth]); }
#else
#define SAVE_FROM
#define STEP_TO(row, from, left) left = 0;
#endif
#if PLAIN
#define APPEND(is_new, row) { \
          if (is_new > 0) new_rows[ADD32(&news, 1)] = row[0]; \
          SYNC; \
          const u32 many = news; \
          SYNC; \
          if (many > BUFFER - BLOCK) drain(new_rows, &news, &base_of_news, rows, most, counters); \
        }
#else
#define APPEND(is_new, row)
#endif
#define FLUSH LOOK_UP
    @STEPS@
    FLUSH
    if (live && !declined && !steps && WAITS) declined = 1;
    if (live && !declined) {
      transitions += steps;
      if (!steps) {
        stuck++;
        if (asked == 2 || (asked == 1 && !may_end(w))) reports[ADD(counters + REPORTS_, 1)] = i << 2 | STUCK_REPORT_;
      }
    }
    if (live && declined) reports[ADD(counters + REPORTS_, 1)] = i << 2 | DECLINED_;
#if PRODUCT
    {
      /* A state without steps idles. */
      u64 d[WORDS];
      COPY(d, w);
      const int idles = !steps && !declined;
      EMIT(idles, 0)
      FLUSH
    }
#endif
#undef EMIT
#undef FLUSH
  }
#if PLAIN
  drain(new_rows, &news, &base_of_news, rows, most, counters);
#endif
  if (transitions) ADD(counters + STEPS_, transitions);
  if (stuck) ADD(counters + STUCK_, stuck);
}

/* Puts rows into the table. */
KERNEL insert(Params P) {
  u64 *table = P.b[0], *rows = P.b[1], *counters = P.b[2];
  const u64 *given = P.b[4];
  const u64 mask = P.n[0], most = P.n[3], count = P.n[5];
  for (u64 i = (u64)FIRST_BLOCK * BLOCK + TID; i < count; i += (u64)BLOCKS * BLOCK) {
    u64 w[WORDS];
    for (int k = 0; k < WORDS; k++) w[k] = given[i * WORDS + k];
    int is_new = put(table, mask, w, rows, most, counters);
    if (is_new < 0) counters[FULL_] = 1;
#if PLAIN
    if (is_new > 0) {
      u64 place = ADD(counters + ROWS_, 1);
      if (place < most) rows[place] = w[0]; else counters[FULL_] = 1;
    }
#endif
  }
}

/* Puts rows that are there already into another table. */
KERNEL rehash(Params P) {
  u64 *table = P.b[0], *counters = P.b[2];
  const u64 *rows = P.b[1];
  const u64 mask = P.n[0], count = P.n[1];
  for (u64 i = (u64)FIRST_BLOCK * BLOCK + TID; i < count; i += (u64)BLOCKS * BLOCK) {
    u64 w[WORDS];
    for (int k = 0; k < WORDS; k++) w[k] = rows[i * WORDS + k];
#if PLAIN
    if (put(table, mask, w, 0, 0, counters) < 0) counters[FULL_] = 1;
#else
    const u64 h = hashed(w), tag = (h >> 40) << 40;
    u64 b = h & mask;
    int is_put = 0;
    for (int p = 0; p < PROBES && !is_put; p++) {
      for (int k = 0; k < 8 && !is_put; k++) is_put = SWAP(table + b * 8 + k, 0, tag | (i + 1)) == 0;
      b = (b + 1) & mask;
    }
    if (!is_put) counters[FULL_] = 1;
#endif
  }
}

/* Copies rows at some places. */
KERNEL gather(Params P) {
  const u64 *rows = P.b[1], *places = P.b[3];
  u64 *out = P.b[4];
  const u64 first = P.n[4], count = P.n[5];
  for (u64 i = (u64)FIRST_BLOCK * BLOCK + TID; i < count; i += (u64)BLOCKS * BLOCK)
    for (int k = 0; k < WORDS; k++) out[i * WORDS + k] = rows[(places[first + i] >> 2) * WORDS + k];
}
#endif

#if PART_WAY
/* The first of rows lo to hi with a step to a row. */
KERNEL before(Params P) {
  const u64 *rows = P.b[1], *target = P.b[4];
  u64 *counters = P.b[2];
  const u64 lo = P.n[1], hi = P.n[2];
  for (u64 base = lo + (u64)FIRST_BLOCK * BLOCK; base < hi; base += (u64)BLOCKS * BLOCK) {
    const u64 i = base + TID;
    const int live = i < hi;
    int declined = 0, is_before = 0;
    u64 w[WORDS];
    for (int k = 0; k < WORDS; k++) w[k] = rows[(live ? i : base) * WORDS + k];
#define EMIT(ok, act) if ((ok) && live && !declined) { \
      int same = 1; \
      for (int k_ = 0; k_ < WORDS; k_++) same &= d[k_] == target[k_]; \
      is_before |= same; \
    }
#define FLUSH
    @STEPS@
#undef EMIT
#undef FLUSH
    (void)declined;
    if (is_before) LEAST(counters + CHANGED_, i);
  }
}
#endif

#if PART_HULL
/* Marks all nodes as alive. */
KERNEL begin(Params P) {
  const u64 *table = P.b[0];
  BITS *reach = (BITS *)P.b[5];
  const u64 nodes = P.n[1];
  for (u64 i = (u64)FIRST_BLOCK * BLOCK + TID; i < nodes; i += (u64)BLOCKS * BLOCK) reach[i] = is_node(table, i) ? ALIVE : 0;
}

/* Lists the nodes that are alive, which begin a new round. */
KERNEL list(Params P) {
  BITS *reach = (BITS *)P.b[5];
  u64 *counters = P.b[2];
  u32 *out = (u32 *)P.b[7];
  const u64 nodes = P.n[1];
  SHARED u32 here;
  SHARED u64 base_of;
  for (u64 base = (u64)FIRST_BLOCK * BLOCK; base < nodes; base += (u64)BLOCKS * BLOCK) {
    const u64 i = base + TID;
    const int alive = i < nodes && (reach[i] & ALIVE);
    u32 place = 0;
    if (TID == 0) here = 0;
    SYNC;
    if (alive) { reach[i] = ALIVE; place = ADD32(&here, 1); }
    SYNC;
    if (TID == 0) base_of = here ? ADD(counters + LISTED_, here) : 0;
    SYNC;
    if (alive) out[base_of + place] = (u32)i;
    SYNC;
  }
}

/* One pass over the nodes of a list: what they reach; or, at the end of a round, which of them are no longer alive.
   Those that do not reach everything are listed again. */
KERNEL spread(Params P) {
  const u64 *table = P.b[0], *rows = P.b[1];
  u64 *counters = P.b[2];
  BITS *reach = (BITS *)P.b[5];
  const u32 *nodes = (const u32 *)P.b[6];
  u32 *again = (u32 *)P.b[7];
  BITS *barred = (BITS *)P.b[8];
  const u64 mask = P.n[0], count = P.n[1], prunes = P.n[2];
  SHARED u64 queue[QUEUE * WORDS];
  SHARED u32 told[QUEUE];
  SHARED u32 letters[BLOCK];
  SHARED BITS reached[BLOCK];
  SHARED BITS bars[BLOCK];
  SHARED u32 queued, here, changed, killed;
  SHARED u64 base_of;
  if (TID == 0) { queued = 0; here = 0; changed = 0; killed = 0; }
  SYNC;
  for (u64 base = (u64)FIRST_BLOCK * BLOCK; base < count; base += (u64)BLOCKS * BLOCK) {
    const u64 i = base + TID;
    const int live = i < count;
    const u64 id = nodes[live ? i : base];
    int declined = 0, is_left = 0;
    u32 steps = 0, place_again = 0;
    BITS one = 0, two = 0;
    u64 w[WORDS];
    row_of(table, rows, id, w);
    reached[TID] = 0;
    bars[TID] = EDGE_BARS ? barred[id] : 0;
#if !ENTERING
    letters[TID] = props_of(w, &declined);
#endif
#define EMIT(ok, act) if ((ok) && live && !declined) { \
      steps++; \
      one |= ACTION_ONE[act]; two |= ACTION_TWO[act]; \
      u32 place = ADD32(&queued, 1); \
      COPY((queue + place * WORDS), d); \
      told[place] = ((act) << 10) | TID; \
    }
#if ENTERING
#define LETTER(row, owner) props_of(row, &bad)
#else
#define LETTER(row, owner) letters[owner]
#endif
#define FLUSH { \
      SYNC; \
      const u32 all = queued; \
      for (u32 item = TID; item < all; item += BLOCK) { \
        u64 row[WORDS]; \
        COPY(row, (queue + item * WORDS)); \
        const u32 owner = told[item] & 1023, act = told[item] >> 10; \
        int bad = 0; \
        const u32 from = AT(row), letter = LETTER(row, owner) | ACTION_H[act] << PROPS; \
        if (bad) counters[LOST_] = 1; \
        u32 left = EDGE_SET[from << LETTER_BITS | letter]; \
        BITS got = 0; \
        while (left) { \
          const u32 nth = lowest(left), edge = from * MOST_EDGES_OF + nth; \
          left &= left - 1; \
          if ((EDGE_FIN[edge] | LETTER_FIN[letter]) & bars[owner]) continue; \
          go(row, EDGE_TO[edge]); \
          const u64 node = found(table, mask, row, rows); \
          if (!node) { counters[LOST_] = 1; continue; } \
          const BITS there = reach[node - 1]; \
          if (there & ALIVE) got |= there | ACTION_INF[act] | EDGE_INF[edge] | LETTER_INF[letter]; \
        } \
        if (got) OR(&reached[owner], got); \
      } \
      SYNC; \
      if (TID == 0) queued = 0; \
      SYNC; \
    }
    @STEPS@
    FLUSH
    {
      u64 d[WORDS];
      COPY(d, w);
      const int idles = !steps && !declined;
      EMIT(idles, 0)
      FLUSH
    }
    if (live && declined) counters[LOST_] = 1;
    if (live) {
      const BITS known = reach[id];
      BITS now = known | reached[TID];
      if (reached[TID] & ALIVE) now |= (one & ONE_INF) | (~one & ONE_NOT_INF) | (two & TWO_INF) | (~two & TWO_NOT_INF);
      now = (now & EVERYTHING) | ALIVE;
      const BITS fin = (one & ONE_FIN) | (~one & ONE_NOT_FIN) | (two & TWO_FIN) | (~two & TWO_NOT_FIN);
      if (prunes) {
        if (!(reached[TID] & ALIVE) || (NEEDED & ~now) || (fin & ~now)) { reach[id] = 0; ADD32(&killed, 1); }
        else if (EDGE_BARS && (~now & EDGE_BARS & ~bars[TID])) { barred[id] = bars[TID] | (~now & EDGE_BARS); ADD32(&killed, 1); }
      } else {
        if (now != known) { reach[id] = now; changed = 1; }
        is_left = (now & EVERYTHING) != EVERYTHING;
        if (is_left) place_again = ADD32(&here, 1);
      }
    }
    SYNC;
    if (TID == 0) {
      base_of = here ? ADD(counters + LISTED_, here) : 0;
      here = 0;
      if (changed) counters[CHANGED_] = 1;
      if (killed) ADD(counters + KILLED_, killed);
      changed = 0;
      killed = 0;
    }
    SYNC;
    if (is_left) again[base_of + place_again] = (u32)id;
    SYNC;
#undef EMIT
#undef FLUSH
  }
}

/* How many different states of the system nodes stand for: those without a node of a smaller state of the automaton. */
KERNEL states(Params P) {
  const u64 *table = P.b[0], *rows = P.b[1];
  u64 *counters = P.b[2];
  const u64 mask = P.n[0], nodes = P.n[1];
  u64 seen = 0;
  for (u64 i = (u64)FIRST_BLOCK * BLOCK + TID; i < nodes; i += (u64)BLOCKS * BLOCK) {
    if (!is_node(table, i)) continue;
    u64 w[WORDS];
    row_of(table, rows, i, w);
    const u32 at = AT(w);
    int is_first = 1;
    for (u32 q = 0; q < at && is_first; q++) { go(w, q); is_first = !found(table, mask, w, rows); }
    seen += is_first;
  }
  if (seen) ADD(counters + NODES_, seen);
}
#endif
