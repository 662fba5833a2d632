/* results/compare/compare_side.h - the cells of one file, as far as they are
 * compared
 *
 * What comparing two files (compare.c) and many (history_load.c) have in
 * common: cells by key, half widths, noise floors, which verdicts count.
 *
 * Upstream: results/file/file.h.
 */
#ifndef OSW_RESULTS_COMPARE_SIDE_H
#define OSW_RESULTS_COMPARE_SIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "results/compare/compare_floor.h"
#include "results/file/file.h"

/* One cell of a file. */
struct osw_compare_cell {
    uint64_t key;
    double median_ns;
    double least_ns, most_ns; /* of its samples: minimum, 95th percentile */
    float half; /* of the median's interval, in log; NaN: unknown */
    int32_t row;
    uint32_t device;
    uint8_t status, timer;
    bool cold, throttled;
    bool suspect; /* its device failed afterwards */
    bool broken;  /* skipped after three crashes of its file: not compared */
    bool folder;  /* no cell: an op folder that could not be read */
};

struct osw_compare_side {
    const osw_file_t *file;         /* borrowed */
    struct osw_compare_cell *cells; /* [n] by key */
    size_t n, n_twice;              /* n_twice: rows whose key came before */
    size_t n_suspect;
    size_t n_lost; /* cells whose state is the machine's: nothing is known of
                      them, and a resume judges them */
    bool whole;    /* the file is complete, and none is lost */
    uint32_t *op, *impl, *of,
        *why;          /* [rows] ids: op, implementation, case, reason */
    uint8_t *status;   /* [rows] */
    double *median_ns; /* [rows] as recorded */
    struct osw_compare_floor *floors; /* [n_floors] by device id */
    size_t n_floors;
};

/* Read a side.  Returns 0, or -1 with err set: the file's failure,
 * OSW_NO_MEMORY; *s is for osw_compare_side_free() either way.
 */
int osw_compare_side_read(const osw_file_t *file, struct osw_compare_side *s,
                          struct osw_error *err) OSW_MUST_CHECK;
void osw_compare_side_free(struct osw_compare_side *s);

/* The cell of that key; NULL: not there. */
const struct osw_compare_cell *
osw_compare_side_find(const struct osw_compare_side *s, uint64_t key);

/* Was the implementation judged, and did it pass? */
bool osw_compare_side_judged(uint8_t status);
bool osw_compare_side_passes(uint8_t status);

/* By how much, in log, launches of such a cell's code differ. */
float osw_compare_side_noise(const struct osw_compare_side *s,
                             const struct osw_compare_cell *cell);

/* The median of v[n], n > 0, which is sorted by it. */
double osw_compare_side_median(float *v, size_t n);

#endif /* OSW_RESULTS_COMPARE_SIDE_H */
