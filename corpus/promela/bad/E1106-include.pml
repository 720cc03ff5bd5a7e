#include "other.pml"
init { run P() }
