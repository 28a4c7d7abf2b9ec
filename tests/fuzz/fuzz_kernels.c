/* What libFuzzer calls: a call of any kernel against a naive loop, at every level there is. ci/fuzz builds it. */
#include "any_call.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    for (int level = 0; level < SIMD_LEVELS; level++) {
        memories_t memories;
        if (simd_level_force(level) >= 0) any_call(bytes, size, &memories, 1);
    }
    return 0;
}
