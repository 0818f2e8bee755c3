#include "words.pml"
#include "memory_tso.pml"
#include "protocol.pml"
