/* worker/judge/timing/processor_roof.c - the roofline of a processor */
#include "worker/judge/timing/processor_roof.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "worker/judge/memory/clones.h"

enum {
    TRIES = 3,
    LEAST_BYTES = 4 << 20, /* copied in a try */
    ACCUMULATORS = 10,     /* as many as hide the latency of two units */
    STEPS = 20000,
};

const size_t osw_roof_footprints[OSW_ROOF_FOOTPRINTS] = {
    16 << 10, 256 << 10, 2 << 20, 16 << 20, 64 << 20};

/* --- memory --- */

static double copy_rate(unsigned char *memory, size_t bytes)
{
    size_t half = bytes / 2, n = LEAST_BYTES / half + 1;
    double best = 0;

    for (int t = 0; t < TRIES; t++) {
        int64_t t0 = osw_clock_ns();

        for (size_t i = 0; i < n; i++) {
            memcpy(memory + half, memory, half);
            memory[i % half] = memory[half + i % half] + 1; /* is read */
        }
        best = fmax(best, 2.0 * (double)(half * n) * 1e9 /
                              (double)(osw_clock_ns() - t0 + 1));
    }
    return best;
}

/* 0: no memory. */
static double memory_rate(size_t footprint)
{
    unsigned char *memory = malloc(footprint);
    double rate;

    if (!memory)
        return 0;
    memset(memory, 1, footprint);
    rate = copy_rate(memory, footprint);
    free(memory);
    return rate;
}

/* --- arithmetic --- */

#if defined(__GNUC__) && !defined(__clang__)
#define CONTRACTED __attribute__((optimize("fp-contract=fast")))
#else
#define CONTRACTED
#endif

typedef float lanes __attribute__((vector_size(64)));
enum { LANES = 16 };

/* Independent chains of multiply-adds. */
CONTRACTED OSW_CLONES static float spin(int n, float a, float b)
{
    lanes sum[ACCUMULATORS];

    for (int k = 0; k < ACCUMULATORS; k++)
        sum[k] = (lanes){0} + (float)k;
    for (int i = 0; i < n; i++) {
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC unroll 10
#endif
        for (int k = 0; k < ACCUMULATORS; k++)
            sum[k] = sum[k] * a + b;
    }
    for (int k = 1; k < ACCUMULATORS; k++)
        sum[0] += sum[k];
    return sum[0][0];
}

static double flop_rate(void)
{
    double best = 0;

    for (int t = 0; t < TRIES; t++) {
        int64_t t0 = osw_clock_ns();
        volatile float sink = spin(STEPS, 0.999f, 0.001f);

        (void)sink;
        best = fmax(best, 2.0 * STEPS * ACCUMULATORS * LANES * 1e9 /
                              (double)(osw_clock_ns() - t0 + 1));
    }
    return best;
}

/* --- the model --- */

static double of_thread(double bytes, uint32_t n_threads)
{
    return bytes / (n_threads > 0 ? n_threads : 1);
}

/* The index of the smallest footprint that holds `bytes` of one core, or of the
 * last one; bytes that are not known count as few.
 */
static int footprint_of(double bytes)
{
    int i = 0;

    while (i + 1 < OSW_ROOF_FOOTPRINTS &&
           bytes > (double)osw_roof_footprints[i])
        i++;
    return i;
}

bool osw_processor_roof_known(const struct osw_processor_roof *roof,
                              double bytes, uint32_t n_threads)
{
    return roof->flops > 0 &&
           roof->rate[footprint_of(of_thread(bytes, n_threads))] > 0;
}

void osw_processor_roof_measure(struct osw_processor_roof *roof, double bytes,
                                uint32_t n_threads)
{
    int i = footprint_of(of_thread(bytes, n_threads));

    if (!(roof->flops > 0))
        roof->flops = flop_rate();
    if (!(roof->rate[i] > 0))
        roof->rate[i] = memory_rate(osw_roof_footprints[i]);
}

double osw_processor_roof_ns(const struct osw_processor_roof *roof,
                             double bytes, double flops,
                             enum osw_arithmetic widest, uint32_t n_threads)
{
    double threads = n_threads > 0 ? n_threads : 1, ns = 0;
    double peak = roof->flops / (widest == OSW_ARITHMETIC_F64 ? 2 : 1);
    double rate = roof->rate[footprint_of(of_thread(bytes, n_threads))];

    if (bytes > 0 && rate > 0)
        ns = bytes / (rate * threads) * 1e9;
    if (flops > 0 && peak > 0)
        ns = fmax(ns, flops / (peak * threads) * 1e9);
    return ns > 0 ? ns : NAN;
}
