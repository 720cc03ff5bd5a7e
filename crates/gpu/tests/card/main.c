/* Stands in for a card: a process that keeps buffers and runs kernels as it is told on its input. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static u64 *buffers[4096];

static u64 word(void) {
  u64 w;
  if (fread(&w, 8, 1, stdin) != 1) exit(0);
  return w;
}

int main(void) {
  for (;;) {
    u64 what = word(), buffer = word(), at = word(), count = word();
    if (what == 0) buffers[buffer] = calloc(count ? count : 1, 8);
    else if (what == 1) { free(buffers[buffer]); buffers[buffer] = 0; }
    else if (what == 2) { if (count && fread(buffers[buffer] + at, 8, count, stdin) != count) exit(0); }
    else if (what == 3) { if (count) fwrite(buffers[buffer] + at, 8, count, stdout); fflush(stdout); }
    else {
      Params p;
      for (int i = 0; i < 10; i++) { u64 b = word(); p.b[i] = b ? buffers[b - 1] : 0; }
      for (int i = 0; i < 8; i++) p.n[i] = word();
      @CALLS@
    }
  }
}
