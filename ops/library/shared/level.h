/* shared/level.h - loops are vectorised, and little else is tried
 *
 * Include it first, before any function.  GCC's -O3 takes up to twice as long
 * for files of many short loops, one for each dtype, and their code is no
 * faster for it.  Without optimisation, and for other compilers, nothing
 * changes.
 */
#ifndef OSW_LIBRARY_LEVEL_H
#define OSW_LIBRARY_LEVEL_H

#if defined(__GNUC__) && defined(__OPTIMIZE__) && !defined(__clang__) &&       \
    !defined(__CUDACC__)
#pragma GCC optimize("O1", "tree-vectorize", "vect-cost-model=dynamic")
#endif

#endif /* OSW_LIBRARY_LEVEL_H */
