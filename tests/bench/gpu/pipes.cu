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

template <class I> static void line(int units, double hz, uint64_t *out)
{
    cudaEvent_t start, stop;
    float ms = 0, best = 1e30f;

    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    for (int i = 0; i < 5; i++) {
        cudaEventRecord(start);
        run<I><<<units * PER_UNIT, THREADS>>>(out, 0x123456789abcdefull);
        cudaEventRecord(stop);
        cudaEventSynchronize(stop);
        cudaEventElapsedTime(&ms, start, stop);
        best = ms < best ? ms : best;
    }
    printf("%-28s %6.1f a clock\n", I::name,
           (double)PER_UNIT * THREADS * CHAINS * ROUNDS / (best * 1e-3 * hz));
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
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
    cudaFree(out);
    return cudaGetLastError() == cudaSuccess ? 0 : 5;
}
