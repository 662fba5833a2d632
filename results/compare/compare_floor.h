/* results/compare/compare_floor.h - how far launches of the same code differ
 *
 * More samples of one launch do not show it.  It is a property of a device, of
 * its driver and of how it is run.  A file may have it beside its devices:
 *
 *     /devices/launch_ns    f64, ns
 *     /devices/launch_part  f64, 1
 *
 * 95 % of the ratios of two launches of the same code lie within part + ns /
 * time.  Where a file has no such columns, or NaN in them (a processor), a
 * table by time stands in.  worker/launch_floor.h measures them.
 *
 * Upstream: compare_side.c, history.  Downstream: file.h.
 */
#ifndef OSW_RESULTS_COMPARE_FLOOR_H
#define OSW_RESULTS_COMPARE_FLOOR_H

#include "common/error.h"
#include "results/file/file.h"

struct osw_compare_floor {
    double ns, part; /* NaN: not measured */
};

/* The floors of the file's devices, in their order, the caller's to free; NULL
 * with err set.
 */
struct osw_compare_floor *osw_compare_floors(const osw_file_t *file,
                                             struct osw_error *err);

/* The half width, in log, of the 95 % interval of a ratio of two launches whose
 * times are about `ns`: by the floor; where there is none (NULL, NaN) 5 % below
 * 10 us, 3 % below 100 us, 2 % above.
 */
float osw_compare_floor_noise(const struct osw_compare_floor *floor, double ns);

#endif /* OSW_RESULTS_COMPARE_FLOOR_H */
