// What looks wrong and is read by SPIN: the end of a comment without its start, comments over several lines in
// macros, initial values of structs, strings over several lines, numbers above 32 bits. */
#define one 1 /* a comment that \
  runs over lines */
#define sum(a, b) a /* another
  comment */ + b // and \
  one more
#define say(text, ...) printf(text, __VA_ARGS__)
#define tell(text, args...) printf(text , ## args)
typedef T { byte a; byte b = 7 };
T t = 5;
int n;
*/
active proctype P() {
  T u = 6; */
  t.a = sum(one, 2);
  n = 4294967295;
  say("%d \
%d\n", t.a, t.b); tell("line %d\n", __LINE__); tell("end\n");
  assert(t.a == 3 && t.b == 7 && u.b == 7 && n == -1)
}
#if (one ? 0 : 1)
broken ' " {
#endif

// expect: states 8
// expect: assertions hold
// expect: end states valid
