#include "words.pml"
#include "memory_weak.pml"
#include "protocol.pml"
