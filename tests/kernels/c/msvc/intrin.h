/* What MSVC would make of the kernels, for machines without it: none of gcc's and clang's extensions, but the intrinsics of
   every level, in functions compiled for no level in particular.

       cc -march=icelake-server -I tests/kernels/c/msvc -include intrin.h ...

   gcc and clang want a target for an intrinsic, so there everything is compiled for the highest level. */
#ifndef AS_MSVC_INTRIN_H
#define AS_MSVC_INTRIN_H
#include <cpuid.h>
#include <float.h>
#include <immintrin.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#undef __GNUC__
#undef __clang__
#define _MSC_VER 1940
#define _M_X64 100
#define __forceinline inline __attribute__((always_inline))
#define __declspec(what) __attribute__((what))
/* gcc has them whatever it is told, and MSVC has not. */
#pragma GCC poison __builtin_ctz __builtin_ctzll __builtin_clzll __builtin_convertvector __builtin_expect __builtin_popcountll \
    __builtin_prefetch
#endif
