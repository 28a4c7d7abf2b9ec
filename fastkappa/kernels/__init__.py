"""Implement the loops over items in three backends that follow the same contract.

The call graph, from choosing a backend down to a single kernel:

    dispatch.get_kernels("cython" | "numba" | "numpy" | None)          contract.PairKernels
        numpy/pairs.py     np.bincount; with few labels, one key for several pairs (keys.py)
        numba/pairs.py     loops.py, which reads arrays with columns.py and counts few labels
                           with popcount.py and the vector instructions in vectors.py
        cython/pairs.pyx   c/: see below
    dispatch.score_kernels(kernels)                                    contract.ScoreKernels
        numpy/scores.py    numba/scores.py    cython/scores.pyx
    dispatch.csv_line_kernels(kernels)                                 contract.CsvLineKernels
        numpy/csv_lines.py, numba/csv_lines.py, cython/csv_lines.pyx

    cython/pairs.pyx
        count_pairs        c/pairs/count_pairs.h
            a short call                       portable.h
            few cells: positional popcount     avx512.h, or vector.h for SSE2, AVX2 and NEON
            more cells                         histogram.h
        sum_pairs, sum_pairs_exactly           c/pairs/sum_pairs.h
        look_up                                c/labels/look_up.h
        sum_moments                            c/moments/moments.h
        count_rows                             c/rows/rows.h
    cython/scores.pyx                          c/scores/: bins, accumulate
    cython/csv_lines.pyx                       c/csv_lines/count_lines.h

In each folder of ``c/``, ``portable.h`` runs on every machine, ``vector.h`` is a template for
SSE2, AVX2 and NEON, and ``avx512.h`` is for AVX-512. The header named after the kernel selects
one of them. ``c/common/`` contains shared code, which describes a column, determines the SIMD level
and reads columns at each level. Plain loops are compiled once per level (``AT_LEVEL``), and the
compiler vectorizes them. `fastkappa.kernels.threads` starts the threads. Each thread calls a kernel
on its own range of items, with its own table.

``c/scores/cuts.h`` and ``c/scores/evaluate.h`` compute statistics rather than counts. They are used
only by `fastkappa.shortcuts`.
"""
