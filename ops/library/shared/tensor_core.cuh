/* shared/tensor_core.cuh - asynchronous copies to shared memory, and
 * tensor cores a warp at a time: mma.m16n8k16, sums in float
 */
#ifndef OSW_LIBRARY_TENSOR_CORE_CUH
#define OSW_LIBRARY_TENSOR_CORE_CUH

#include "chunks.cuh"

/* 16 bytes from global to shared memory, the first `valid` of them; the rest
 * become zeros.  Both aligned to 16 bytes.
 */
__device__ static inline void osw_async_copy16(void *to, const void *from,
                                               int valid)
{
    unsigned at = (unsigned)__cvta_generic_to_shared(to);

    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n" ::"r"(at),
                 "l"(from), "r"(valid)
                 : "memory");
}

/* Copies since the last commit become a group. */
__device__ static inline void osw_async_commit(void)
{
    asm volatile("cp.async.commit_group;\n" ::: "memory");
}

/* Wait until at most N groups of this thread are on their way. */
template <int N> __device__ static inline void osw_async_wait(void)
{
    asm volatile("cp.async.wait_group %0;\n" ::"n"(N) : "memory");
}

/* Four 8x8 matrices of 16-bit elements; lane i points to row i % 8 of matrix
 * i / 8.  With TRANS each is transposed on the way.
 */
template <bool TRANS>
__device__ static inline void osw_load_fragment(uint32_t (&r)[4], const void *p)
{
    unsigned at = (unsigned)__cvta_generic_to_shared(p);

    if (TRANS)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 "
                     "{%0, %1, %2, %3}, [%4];\n"
                     : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                     : "r"(at)
                     : "memory");
    else
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
                     "{%0, %1, %2, %3}, [%4];\n"
                     : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                     : "r"(at)
                     : "memory");
}

/* c [16, 8] += a [16, 16] @ b [16, 8]; T: osw_f16 or osw_bf16 */
template <class T>
__device__ static inline void osw_mma(float (&c)[4], const uint32_t (&a)[4],
                                      uint32_t b0, uint32_t b1);

template <>
__device__ inline void osw_mma<osw_f16>(float (&c)[4], const uint32_t (&a)[4],
                                        uint32_t b0, uint32_t b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};\n"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0),
                   "r"(b1));
}

template <>
__device__ inline void osw_mma<osw_bf16>(float (&c)[4], const uint32_t (&a)[4],
                                         uint32_t b0, uint32_t b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};\n"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0),
                   "r"(b1));
}

#endif /* OSW_LIBRARY_TENSOR_CORE_CUH */
