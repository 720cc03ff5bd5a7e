#ifndef N
#error "N is needed"
#endif
init { skip }
