/* shared/wgmma.cuh - sums [64, N] += a [64, 16] @ b [16, N] by a warpgroup
 *
 * Sums are float.  Thread t holds those of rows t / 32 * 16 + t % 32 / 4 and 8
 * below: d[4 * j + 0, 1] of the upper row, [2, 3] of the lower one, in columns
 * 8 * j + t % 4 * 2 and the next.  Operands lie in shared memory as boxes
 * (hopper.cuh); a may be in registers, too, where four words are the sums of
 * two neighbours j, made pairs.
 *
 * Multiplications run on their own from osw_wgmma_commit() on.  Until
 * osw_wgmma_wait(), their registers and boxes must not be touched.
 */
#ifndef OSW_LIBRARY_WGMMA_CUH
#define OSW_LIBRARY_WGMMA_CUH

#include "hopper.cuh"
#include "pack.cuh"

#include <type_traits>

/* The descriptor of an operand in shared memory.  Rows of its box run along k,
 * a row for each line (of a; a column of b), or across: a row for each k, over
 * 64 lines, and the next 64 lines are `next` bytes further on.
 */
__device__ static inline uint64_t osw_wgmma_operand(const void *box,
                                                    uint32_t next)
{
    return (uint64_t)(osw_shared_at(box) >> 4 & 0x3fff) |
           (uint64_t)(next >> 4) << 16 |
           (uint64_t)(8 * OSW_BOX_BYTES >> 4) << 32 | (uint64_t)1 << 62;
}

/* From the first 16 of k to the i-th, in units of a descriptor. */
template <bool BY_K> __device__ static inline uint64_t osw_wgmma_step(int i)
{
    return (uint64_t)(i * (BY_K ? 32 : 16 * OSW_BOX_BYTES) >> 4);
}

#if OSW_HOPPER

/* Registers and shared memory that were written are ready to be read. */
__device__ static inline void osw_wgmma_begin(void)
{
    asm volatile("wgmma.fence.sync.aligned;\n" ::: "memory");
}

__device__ static inline void osw_wgmma_commit(void)
{
    asm volatile("wgmma.commit_group.sync.aligned;\n" ::: "memory");
}

/* Wait until at most N committed groups run. */
template <int N> __device__ static inline void osw_wgmma_wait(void)
{
    asm volatile("wgmma.wait_group.sync.aligned %0;\n" ::"n"(N) : "memory");
}

/* The compiler must not move reads or writes of d across this. */
template <int N> __device__ static inline void osw_wgmma_hold(float (&d)[N])
{
#pragma unroll
    for (int i = 0; i < N; i++)
        asm volatile("" : "+f"(d[i])::"memory");
}

/* clang-format off */
#define OSW_D0 \
    "%0, %1, %2, %3, %4, %5, %6, %7" ", " \
    "%8, %9, %10, %11, %12, %13, %14, %15" ", " \
    "%16, %17, %18, %19, %20, %21, %22, %23" ", " \
    "%24, %25, %26, %27, %28, %29, %30, %31"
#define OSW_D32 \
    "%32, %33, %34, %35, %36, %37, %38, %39" ", " \
    "%40, %41, %42, %43, %44, %45, %46, %47" ", " \
    "%48, %49, %50, %51, %52, %53, %54, %55" ", " \
    "%56, %57, %58, %59, %60, %61, %62, %63"
#define OSW_D64 \
    "%64, %65, %66, %67, %68, %69, %70, %71" ", " \
    "%72, %73, %74, %75, %76, %77, %78, %79" ", " \
    "%80, %81, %82, %83, %84, %85, %86, %87" ", " \
    "%88, %89, %90, %91, %92, %93, %94, %95"
#define OSW_D96 \
    "%96, %97, %98, %99, %100, %101, %102, %103" ", " \
    "%104, %105, %106, %107, %108, %109, %110, %111" ", " \
    "%112, %113, %114, %115, %116, %117, %118, %119" ", " \
    "%120, %121, %122, %123, %124, %125, %126, %127"
#define OSW_F4(i)  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define OSW_F16(i) OSW_F4(i), OSW_F4(i + 4), OSW_F4(i + 8), OSW_F4(i + 12)
#define OSW_F32(i) OSW_F16(i), OSW_F16(i + 16)
#define OSW_F64(i) OSW_F32(i), OSW_F32(i + 32)
#define OSW_F128(i) OSW_F64(i), OSW_F64(i + 64)

/* D names the registers of d, F lists them; operands after them by number.
 * 0 or 1 at the end: the box runs along k, or not.
 */
#define OSW_WGMMA_SHARED(N, TYPE, D, F, A, B, ADD, TA, TB)                     \
    asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, " ADD ", 0;\n"          \
                 "wgmma.mma_async.sync.aligned.m64n" N "k16.f32." TYPE "."     \
                 TYPE " {" D "}, " A ", " B ", add, 1, 1, " TA ", " TB ";\n}\n"\
                 : F(0) : "l"(a), "l"(b), "r"(add), "n"(A_BY_K ? 0 : 1),       \
                 "n"(B_BY_K ? 0 : 1))

#define OSW_WGMMA_WORDS(N, TYPE, D, F, A0, A1, A2, A3, B, TB)                  \
    asm volatile("wgmma.mma_async.sync.aligned.m64n" N "k16.f32." TYPE "."     \
                 TYPE " {" D "}, {" A0 ", " A1 ", " A2 ", " A3 "}, " B         \
                 ", 1, 1, 1, " TB ";\n"                                        \
                 : F(0) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b),  \
                 "n"(B_BY_K ? 0 : 1))

#define OSW_WGMMA_OF(SIZE, WORDS, D, F, P0, P1, P2, P3, P4, P5)                \
    template <class T, bool A_BY_K, bool B_BY_K>                               \
    __device__ static inline void osw_wgmma(float (&d)[WORDS], uint64_t a,     \
                                            uint64_t b, int add)               \
    {                                                                          \
        if constexpr (std::is_same<T, osw_bf16>::value)                        \
            OSW_WGMMA_SHARED(SIZE, "bf16", D, F, P0, P1, P2, P3, P4);          \
        else                                                                   \
            OSW_WGMMA_SHARED(SIZE, "f16", D, F, P0, P1, P2, P3, P4);           \
    }                                                                          \
    template <class T, bool B_BY_K>                                            \
    __device__ static inline void osw_wgmma_words(                             \
        float (&d)[WORDS], const uint32_t *a, uint64_t b)                      \
    {                                                                          \
        if constexpr (std::is_same<T, osw_bf16>::value)                        \
            OSW_WGMMA_WORDS(SIZE, "bf16", D, F, P0, P1, P2, P3, P4, P5);       \
        else                                                                   \
            OSW_WGMMA_WORDS(SIZE, "f16", D, F, P0, P1, P2, P3, P4, P5);        \
    }

OSW_WGMMA_OF("64", 32, OSW_D0, OSW_F32,
             "%32", "%33", "%34", "%35", "%36", "%37")
OSW_WGMMA_OF("128", 64, OSW_D0 ", " OSW_D32, OSW_F64,
             "%64", "%65", "%66", "%67", "%68", "%69")
OSW_WGMMA_OF("256", 128, OSW_D0 ", " OSW_D32 ", " OSW_D64 ", " OSW_D96,
             OSW_F128,
             "%128", "%129", "%130", "%131", "%132", "%133")
/* clang-format on */

#endif /* OSW_HOPPER */

#endif /* OSW_LIBRARY_WGMMA_CUH */
