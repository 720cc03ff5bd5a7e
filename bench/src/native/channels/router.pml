// Routers on a ring with bounded queues, which look at the first message before they take it.
#define N 3
#define CAP 2
chan queue[N] = [CAP] of { byte, bit };

bit sent[N];
#define next ((_pid + 1) % N)
#define previous ((_pid + N - 1) % N)
active [N] proctype Router() {
    byte to; bit colour;
    do
    :: atomic { !sent[_pid] && nfull(queue[_pid]) -> sent[_pid] = 1; queue[_pid]!(_pid + 2) % N, 0 }
    :: atomic { sent[_pid] && len(queue[_pid]) == 0 -> sent[_pid] = 0 }
    :: atomic { queue[_pid]?[eval(_pid), _] -> queue[_pid]?eval(_pid), colour; colour = 0 }
    :: atomic { nempty(queue[_pid]) && !queue[_pid]?[eval(_pid), _] -> queue[_pid]?to, colour;
         if
         :: nfull(queue[next]) -> queue[next]!to, colour
         :: nfull(queue[previous]) -> queue[previous]!to, 1
         :: full(queue[next]) && full(queue[previous]) -> skip
         fi;
         to = 0; colour = 0 }
    od
}
