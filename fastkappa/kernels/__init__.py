"""Loops over items: three backends behind one contract.

What is called, from the choice of a backend down to one kernel:

    dispatch.get_kernels("cython" | "numba" | "numpy" | None)          contract.PairKernels
        numpy/pairs.py     np.bincount; for few labels the keys of several pairs (keys.py)
        numba/pairs.py     loops.py, which reads arrays by columns.py and counts few labels by
                           popcount.py, with the vector instructions of vectors.py
        cython/pairs.pyx   c/: see below
    dispatch.score_kernels(kernels)                                    contract.ScoreKernels
        numpy/scores.py    numba/scores.py    cython/scores.pyx
    dispatch.csv_line_kernels(kernels)                                 contract.CsvLineKernels
        numpy/csv_lines.py, numba/csv_lines.py, cython/csv_lines.pyx
    dispatch.difference_kernels(kernels)                               contract.DifferenceKernels
        numpy/differences.py, numba/differences.py, cython/differences.pyx

    cython/pairs.pyx
        count_pairs        c/pairs/count_pairs.h
            a short call                       portable.h
            few cells: positional popcount     avx512.h, or vector.h at SSE2, AVX2 and NEON
            140 to 1200 cells of bytes         split_avx512.h, at AVX-512
            more cells                         histogram.h, on codes of c/narrow/
        sum_pairs, sum_pairs_exactly           c/pairs/sum_pairs.h
        look_up                                c/labels/look_up.h
        sum_moments                            c/moments/moments.h
        count_rows                             c/rows/rows.h
    cython/scores.pyx                          c/scores/: bins, keys, accumulate
    cython/csv_lines.pyx                       c/csv_lines/count_lines.h
    cython/differences.pyx                     c/differences/largest.h

In each folder of ``c/``, ``portable.h`` is for every machine, ``vector.h`` is a template for
SSE2, AVX2 and NEON, and ``avx512.h`` is for AVX-512; the header named after the kernel
chooses. ``c/common/`` has what all share: the column, the SIMD level in use, and how columns
are read at each level. Plain loops that compilers vectorise are compiled once a level
(``AT_LEVEL``). Threads are in `fastkappa.kernels.threads`: each calls a kernel on its own
range of items, with a table of its own.

``c/scores/cuts.h`` and ``evaluate.h`` compute a statistic: only `fastkappa.shortcuts` calls
them.
"""
