/* Choose the vector instructions for this processor.

   The kernels exist at up to four levels. All levels produce identical tables and differ only in speed:

     baseline   the instructions of every processor of the architecture (SSE2 on x86-64, plain C elsewhere)
     avx2       x86-64 with 32-byte vectors
     avx512     x86-64 with 64-byte vectors and the byte instructions named in simd_level_detected
     neon       aarch64 with 16-byte vectors

   A level is compiled if the compiler supports it (SIMD_HAS_...). A compiled level is used if both the processor and the
   operating system support all of its features. For example, a processor can have AVX-512 while the operating system does not
   save the AVX-512 registers. */
#ifndef FASTKAPPA_SIMD_LEVEL_H
#define FASTKAPPA_SIMD_LEVEL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { SIMD_BASELINE = 0, SIMD_AVX2 = 1, SIMD_AVX512 = 2, SIMD_NEON = 3, SIMD_LEVELS = 4 };

/* SIMD_HAS_GNU is also set for clang-cl, which is clang with the command line of MSVC. */
#if defined(__GNUC__) || defined(__clang__)
#  define SIMD_HAS_GNU 1
#  define ALWAYS_INLINE static inline __attribute__((always_inline))
#  define NEVER_INLINE static __attribute__((noinline))
#  define MAYBE_UNUSED __attribute__((unused))
#  define LIKELY(condition) __builtin_expect(!!(condition), 1)
#  define UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#else
#  define SIMD_HAS_GNU 0
#  ifdef _MSC_VER
#    define ALWAYS_INLINE static __forceinline
#    define NEVER_INLINE static __declspec(noinline)
#  else
#    define ALWAYS_INLINE static inline
#    define NEVER_INLINE static
#  endif
#  define MAYBE_UNUSED
#  define LIKELY(condition) (condition)
#  define UNLIKELY(condition) (condition)
#endif

/* The levels that this compiler supports.

     SIMD_HAS_X86       AVX-512, written with intrinsics alone, which MSVC compiles without a target option
     SIMD_HAS_NEON      NEON
     SIMD_HAS_VECTORS   the vector levels (SSE2, AVX2 and NEON), written with the vector types of gcc and clang

   gcc for Windows does not align wide vectors on the stack, and clang-cl before version 19 hides the intrinsics. With
   these compilers, and with compilers other than gcc, clang and MSVC, portable C is used. */
#if defined(FASTKAPPA_NO_SIMD) || (defined(__MINGW32__) && !defined(__clang__))
#elif defined(_MSC_VER) && defined(__clang__) && __clang_major__ < 19
#elif SIMD_HAS_GNU && defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#  if defined(__x86_64__)
#    define SIMD_HAS_X86 1
#  elif defined(__aarch64__)
#    define SIMD_HAS_NEON 1
#  endif
#elif defined(_M_X64) && _MSC_VER >= 1930   /* Visual Studio 2022 */
#  define SIMD_HAS_X86 1
#endif
#ifndef SIMD_HAS_X86
#  define SIMD_HAS_X86 0
#endif
#ifndef SIMD_HAS_NEON
#  define SIMD_HAS_NEON 0
#endif
#define SIMD_HAS_VECTORS (SIMD_HAS_GNU && (SIMD_HAS_X86 || SIMD_HAS_NEON))

#if SIMD_HAS_X86 && defined(_MSC_VER)
#  include <intrin.h>
#elif SIMD_HAS_X86
#  include <cpuid.h>
#  include <immintrin.h>
#elif SIMD_HAS_NEON
#  include <arm_neon.h>
#endif

/* Prefetches the cache line of an address. The address can be invalid, because a prefetch never faults. */
#if SIMD_HAS_GNU
#  define FETCH(address) __builtin_prefetch((const void *)(address))
#elif SIMD_HAS_X86
#  define FETCH(address) _mm_prefetch((const char *)(address), _MM_HINT_T0)
#else
#  define FETCH(address) ((void)(address))
#endif

/* Pragmas that set the target processor of a level's functions. The pragmas of clang and gcc differ. */
#define SIMD_PRAGMA(text) _Pragma(#text)
#if !SIMD_HAS_GNU
#  define SIMD_BEGIN_AVX2
#  define SIMD_BEGIN_AVX512
#  define SIMD_END
#elif defined(__clang__)
#  define SIMD_BEGIN_AVX2 SIMD_PRAGMA(clang attribute push(__attribute__((target("avx2"))), apply_to = function))
#  define SIMD_BEGIN_AVX512 SIMD_PRAGMA(clang attribute push(__attribute__((target( \
       "avx2,popcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512bitalg,avx512vnni,gfni"))), apply_to = function))
#  define SIMD_END SIMD_PRAGMA(clang attribute pop)
#else
#  define SIMD_BEGIN_AVX2 SIMD_PRAGMA(GCC push_options) SIMD_PRAGMA(GCC target("avx2"))
#  define SIMD_BEGIN_AVX512 SIMD_PRAGMA(GCC push_options) \
       SIMD_PRAGMA(GCC target("avx2,popcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512bitalg,avx512vnni,gfni"))
#  define SIMD_END SIMD_PRAGMA(GCC pop_options)
#endif

#if SIMD_HAS_X86
/* The four registers that the CPUID instruction fills for a leaf. They are 0 if the processor does
   not have the leaf. */
typedef struct { uint32_t eax, ebx, ecx, edx; } cpu_page_t;

static cpu_page_t cpu_page(uint32_t leaf)
{
    cpu_page_t page = {0, 0, 0, 0};
#ifdef _MSC_VER
    int registers[4];
    __cpuidex(registers, 0, 0);
    if ((uint32_t)registers[0] >= leaf) {
        __cpuidex(registers, (int)leaf, 0);
        memcpy(&page, registers, sizeof page);
    }
#else
    __get_cpuid_count(leaf, 0, &page.eax, &page.ebx, &page.ecx, &page.edx);
#endif
    return page;
}

/* Returns the register sets that the operating system saves when it switches threads (XCR0). */
static uint64_t saved_register_sets(void)
{
#ifdef _MSC_VER
    return _xgetbv(0);
#else
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return ((uint64_t)high << 32) | low;
#endif
}

static int has_bits(uint64_t value, uint64_t wanted)
{
    return (value & wanted) == wanted;
}
#endif

/* Returns the best level that the processor and the operating system support. */
static int simd_level_detected(void)
{
#if SIMD_HAS_X86
    if (!has_bits(cpu_page(1).ecx, (1u << 23) /* POPCNT */ | (1u << 27) /* OSXSAVE */ | (1u << 28) /* AVX */))
        return SIMD_BASELINE;
    const cpu_page_t features = cpu_page(7);
    const uint64_t saved = saved_register_sets();
    const uint64_t ymm = 0x06, zmm = 0xE6;
    if (!has_bits(saved, ymm) || !has_bits(features.ebx, 1u << 5 /* AVX2 */))
        return SIMD_BASELINE;
    const uint32_t foundation = (1u << 16) /* F */ | (1u << 17) /* DQ */ | (1u << 30) /* BW */ | (1u << 31) /* VL */;
    const uint32_t bytes = (1u << 1) /* VBMI */ | (1u << 6) /* VBMI2 */ | (1u << 8) /* GFNI */ | (1u << 11) /* VNNI */ | (1u << 12) /* BITALG */;
    if (has_bits(saved, zmm) && has_bits(features.ebx, foundation) && has_bits(features.ecx, bytes))
        return SIMD_AVX512;
    return SIMD_HAS_VECTORS ? SIMD_AVX2 : SIMD_BASELINE;
#elif SIMD_HAS_NEON
    return SIMD_NEON;
#else
    return SIMD_BASELINE;
#endif
}

static const char *simd_level_name(int level)
{
    static const char *const names[SIMD_LEVELS] = {"baseline", "avx2", "avx512", "neon"};
    return level >= 0 && level < SIMD_LEVELS ? names[level] : "unknown";
}

/* Returns whether this level can be used on this machine. */
static int simd_level_available(int level)
{
    const int best = simd_level_detected();
    return level == SIMD_BASELINE || level == best || (level == SIMD_AVX2 && best == SIMD_AVX512 && SIMD_HAS_VECTORS);
}

/* The level in use. A plain int is enough, because the level is set only when a module is loaded and by tests. Several
   extension modules include this header. Each module has its own level until simd_level_share makes the modules share one
   level. */
static int simd_level_own = -1;
static int *simd_level_used = &simd_level_own;

MAYBE_UNUSED static int simd_level_current(void)
{
    if (UNLIKELY(*simd_level_used < 0))
        *simd_level_used = simd_level_detected();
    return *simd_level_used;
}

/* simd_level_address returns the address of the level of this module. simd_level_share makes this module use another
   module's level. */
MAYBE_UNUSED static int *simd_level_address(void)
{
    return simd_level_used;
}

MAYBE_UNUSED static void simd_level_share(int *level)
{
    simd_level_used = level;
}

/* Sets the level in use to `level` and returns it. Returns -1 and changes nothing if the level is not available. Levels
   below 0, and levels of SIMD_LEVELS or more, are never available. */
MAYBE_UNUSED static int simd_level_force(int level)
{
    if (level < 0 || level >= SIMD_LEVELS || !simd_level_available(level))
        return -1;
    *simd_level_used = level;
    return level;
}

/* Returns the level with the given name, or -1 if there is none. */
MAYBE_UNUSED static int simd_level_named(const char *name)
{
    for (int level = 0; level < SIMD_LEVELS; level++)
        if (strcmp(name, simd_level_name(level)) == 0)
            return level;
    return -1;
}

/* Calls name_baseline, name_avx2 or name_avx512. This macro is used for loops that compilers vectorise. */
#if SIMD_HAS_X86
#  define AT_LEVEL(name, ...)                                                     \
    do {                                                                          \
        if (simd_level_current() == SIMD_AVX512) name##_avx512(__VA_ARGS__);      \
        else if (simd_level_current() == SIMD_AVX2) name##_avx2(__VA_ARGS__);     \
        else name##_baseline(__VA_ARGS__);                                        \
    } while (0)
#else
#  define AT_LEVEL(name, ...) name##_baseline(__VA_ARGS__)
#endif

#endif
