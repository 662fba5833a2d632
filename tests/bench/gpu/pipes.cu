/* tests/bench/gpu/pipes.cu - how many results of an instruction a clock
 *
 * Per multiprocessor, of the instructions that bound a fill (bench_judge_gpu.c
 * takes its roofs from these rates) and a comparison.  The machine code shows
 * that each line below is the one instruction of its name.
 *
 *     nvcc -O3 -arch=native -o pipes pipes.cu && ./pipes
 */
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>

enum { THREADS = 256, CHAINS = 8, ROUNDS = 2048, PER_UNIT = 8 };

/* A round of each is CHAINS results; `v` is never known beforehand. */
struct wide {
    static constexpr const char *name = "32 x 32 -> 64 bits";
    static __device__ void step(uint64_t *v)
    {
        asm volatile("{.reg .u32 a,b; mov.b64 {a,b}, %0;"
                     "mul.wide.u32 %0, b, 0xD2511F53;}"
                     : "+l"(*v));
    }
};

struct low {
    static constexpr const char *name = "32 x 32 + 32 bits";
    static __device__ void step(uint64_t *v)
    {
        asm volatile("{.reg .u32 a,b; mov.b64 {a,b}, %0; mad.lo.u32 a, a, b, a;"
                     "mov.b64 %0, {a,b};}"
                     : "+l"(*v));
    }
};

struct halves {
    static constexpr const char *name = "dp2a";
    static __device__ void step(uint64_t *v)
    {
        *v = (uint32_t)__dp2a_lo((uint32_t)*v, 0x0101u, (uint32_t)*v);
    }
};

struct bitwise {
    static constexpr const char *name = "xor of three";
    static __device__ void step(uint64_t *v)
    {
        asm volatile("{.reg .u32 a,b; mov.b64 {a,b}, %0;"
                     "lop3.b32 a, a, b, 0x9E3779B9, 0x96;"
                     "mov.b64 %0, {a,b};}"
                     : "+l"(*v));
    }
};

struct both { /* shows whether they share a pipe */
    static constexpr const char *name = "64 bits, then xor of three";
    static __device__ void step(uint64_t *v)
    {
        asm volatile("{.reg .u32 a,b; mov.b64 {a,b}, %0;"
                     "mul.wide.u32 %0, b, 0xD2511F53; mov.b64 {a,b}, %0;"
                     "lop3.b32 b, a, b, 0x9E3779B9, 0x96;"
                     "mov.b64 %0, {a,b};}"
                     : "+l"(*v));
    }
};

struct wide_halves {
    static constexpr const char *name = "64 bits, then dp2a";
    static __device__ void step(uint64_t *v)
    {
        uint64_t w = (uint64_t)0xD2511F53u * (uint32_t)*v;

        *v = (uint32_t)__dp2a_lo((uint32_t)(w >> 32), 0x0101u, (uint32_t)w);
    }
};

struct widen {
    static constexpr const char *name = "f32 to f64, and f64 to f32";
    static __device__ void step(uint64_t *v)
    {
        double d = (double)__uint_as_float((uint32_t)*v);

        asm volatile("" : "+d"(d));
        *v = __float_as_uint((float)d);
    }
};

struct fma64 {
    static constexpr const char *name = "f64 multiply-add";
    static __device__ void step(uint64_t *v)
    {
        double d = __longlong_as_double((long long)*v);

        *v = (uint64_t)__double_as_longlong(fma(d, d, d));
    }
};

template <class I>
__global__ void __launch_bounds__(THREADS) run(uint64_t *out, uint64_t from)
{
    uint64_t v[CHAINS], all = 0;

    for (int c = 0; c < CHAINS; c++)
        v[c] = from * (c + 1) + threadIdx.x;
#pragma unroll 8
    for (int r = 0; r < ROUNDS; r++)
#pragma unroll
        for (int c = 0; c < CHAINS; c++)
            I::step(&v[c]);
    for (int c = 0; c < CHAINS; c++)
        all ^= v[c];
    out[blockIdx.x * THREADS + threadIdx.x] = all;
}

// Seconds of the fastest of five launches.
static double best_s(void (*kernel)(uint64_t *, uint64_t), int units,
                     uint64_t *out)
{
    cudaEvent_t start, stop;
    float ms = 0, best = 1e30f;

    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    for (int i = 0; i < 5; i++) {
        cudaEventRecord(start);
        kernel<<<units * PER_UNIT, THREADS>>>(out, 0x123456789abcdefull);
        cudaEventRecord(stop);
        cudaEventSynchronize(stop);
        cudaEventElapsedTime(&ms, start, stop);
        best = ms < best ? ms : best;
    }
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    return best * 1e-3;
}

// What one more instruction costs beside a round of Philox and a half, which
// the multiplications bound: nothing, where there is room for it.
enum { PAIRS = 2 };

#define EXTRA(type, text, expression)                                          \
    struct type {                                                              \
        static constexpr const char *name = text;                              \
        static __device__ void step(uint32_t *w, uint32_t other)               \
        {                                                                      \
            uint32_t a = *w;                                                   \
            *w = expression;                                                   \
        }                                                                      \
    };
EXTRA(nothing, "nothing", a)
EXTRA(add3, "IADD3", ({
          uint32_t r;
          asm volatile("add.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(other));
          r;
      }))
EXTRA(shift, "SHF", __funnelshift_r(a, other, 3))
EXTRA(shift_add, "LEA.HI", (a >> 16) + other)
EXTRA(bytes, "PRMT", __byte_perm(a, other, 0x7432))
EXTRA(to_float, "I2FP", __float_as_uint(__int2float_rn((int)a)))
EXTRA(times, "FMUL", __float_as_uint(__uint_as_float(a) * 1.0001f))
EXTRA(fused, "FFMA", __float_as_uint(fmaf(__uint_as_float(a), 1.0001f, 0.5f)))
EXTRA(times_low, "IMAD", a * 65535u + other)
EXTRA(compare, "ISETP, SEL", a < other ? a + 1 : a)

template <class X>
__global__ void __launch_bounds__(THREADS) beside(uint64_t *out, uint64_t from)
{
    uint64_t v[PAIRS], all = 0;
    uint32_t w[PAIRS];

    for (int c = 0; c < PAIRS; c++) {
        v[c] = from * (c + 1) + threadIdx.x;
        w[c] = (uint32_t)from + c + threadIdx.x;
    }
#pragma unroll 4
    for (int r = 0; r < ROUNDS; r++) {
#pragma unroll
        for (int k = 0; k < 3; k++)
#pragma unroll
            for (int c = 0; c < PAIRS; c++)
                both::step(&v[c]);
#pragma unroll
        for (int c = 0; c < PAIRS; c++)
            X::step(&w[c], (uint32_t)v[c]);
    }
    for (int c = 0; c < PAIRS; c++)
        all ^= v[c] ^ w[c];
    out[blockIdx.x * THREADS + threadIdx.x] = all;
}

template <class X> static void beside_line(int units, double hz, uint64_t *out)
{
    enum { WARPS = PER_UNIT * THREADS / 32 / 4 }; // of a scheduler
    printf("3 x (64 bits, xor), %-12s %6.2f clocks a warp\n", X::name,
           best_s(beside<X>, units, out) * hz /
               ((double)ROUNDS * PAIRS * WARPS));
}

template <class I> static void line(int units, double hz, uint64_t *out)
{
    printf("%-28s %6.1f a clock\n", I::name,
           (double)PER_UNIT * THREADS * CHAINS * ROUNDS /
               (best_s(run<I>, units, out) * hz));
}

int main(void)
{
    int units = 0, khz = 0;
    uint64_t *out;

    if (cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, 0) !=
            cudaSuccess ||
        cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0) != cudaSuccess ||
        cudaMalloc(&out, (size_t)units * PER_UNIT * THREADS * 8) !=
            cudaSuccess) {
        printf("skipped: there is no GPU\n");
        return 0;
    }
    printf("%d multiprocessors, clock taken to be %d MHz\n", units, khz / 1000);
    line<wide>(units, khz * 1e3, out);
    line<low>(units, khz * 1e3, out);
    line<halves>(units, khz * 1e3, out);
    line<bitwise>(units, khz * 1e3, out);
    line<both>(units, khz * 1e3, out);
    line<wide_halves>(units, khz * 1e3, out);
    line<widen>(units, khz * 1e3, out);
    line<fma64>(units, khz * 1e3, out);
    beside_line<nothing>(units, khz * 1e3, out);
    beside_line<add3>(units, khz * 1e3, out);
    beside_line<shift>(units, khz * 1e3, out);
    beside_line<shift_add>(units, khz * 1e3, out);
    beside_line<bytes>(units, khz * 1e3, out);
    beside_line<to_float>(units, khz * 1e3, out);
    beside_line<times>(units, khz * 1e3, out);
    beside_line<fused>(units, khz * 1e3, out);
    beside_line<times_low>(units, khz * 1e3, out);
    beside_line<compare>(units, khz * 1e3, out);
    cudaFree(out);
    return cudaGetLastError() == cudaSuccess ? 0 : 5;
}
