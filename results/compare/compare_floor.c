/* results/compare/compare_floor.c - how far launches of the same code differ */
#include "results/compare/compare_floor.h"

#include <math.h>
#include <stdlib.h>

/* A column of /devices that older files lack is missing. */
static void read_floor(const osw_file_t *file, const char *path, uint64_t n,
                       double *out)
{
    struct osw_error unused = OSW_ERROR_INIT;

    if (osw_file_rows(file, "/devices") != n ||
        osw_file_values(file, path, OSW_COLUMN_f64, n, out, &unused) < 0)
        for (uint64_t i = 0; i < n; i++)
            out[i] = NAN;
}

struct osw_compare_floor *osw_compare_floors(const osw_file_t *file,
                                             struct osw_error *err)
{
    size_t n;
    struct osw_compare_floor *out;
    double *v;

    (void)osw_file_devices(file, &n);
    out = malloc(n * sizeof(*out) + 1);
    v = malloc(2 * n * sizeof(*v) + 1);
    if (out && v) {
        read_floor(file, "/devices/launch_ns", n, v);
        read_floor(file, "/devices/launch_part", n, v + n);
        for (size_t i = 0; i < n; i++)
            out[i] = (struct osw_compare_floor){v[i], v[n + i]};
        free(v);
        return out;
    }
    free(out);
    free(v);
    (void)osw_fail(err, OSW_NO_MEMORY, "no memory to compare");
    return NULL;
}

float osw_compare_floor_noise(const struct osw_compare_floor *floor, double ns)
{
    if (floor && floor->ns >= 0 && floor->part >= 0)
        return (float)log1p(fmin(1, floor->part + floor->ns / ns));
    return ns < 10e3 ? 0.05F : ns < 100e3 ? 0.03F : 0.02F;
}
