/* shared/triangle.h - matrices of which the elements beyond a diagonal are 0:
 * (self, diagonal), what is common to tril and triu
 */
#ifndef OSW_LIBRARY_TRIANGLE_H
#define OSW_LIBRARY_TRIANGLE_H

#include <opsweep/elements.h>
#include <opsweep/op.h>

enum osw_triangle_part { OSW_TRIANGLE_LOWER, OSW_TRIANGLE_UPPER };

struct osw_triangle {
    const osw_tensor *self;
    osw_tensor *out;
    enum osw_triangle_part part;
    int64_t rows, cols; /* of a matrix */
    int64_t n_rows;     /* of all of them; 0 where there are no columns */
    int64_t diagonal;
};

static inline int osw_triangle_open(const osw_call *call,
                                    struct osw_triangle *t,
                                    enum osw_triangle_part part)
{
    const osw_tensor *self = osw_arg_tensor(call, 0);

    if (!self || self->ndim < 2)
        return osw_error(call, "expected a matrix");
    t->self = self;
    t->part = part;
    t->diagonal = osw_arg_int(call, 1, 0);
    t->rows = self->shape[self->ndim - 2];
    t->cols = self->shape[self->ndim - 1];
    t->n_rows = t->cols ? osw_numel(self) / t->cols : 0;
    t->out = osw_output(call, 0, self->dtype, self->ndim, self->shape, NULL);
    return t->out ? 0 : OSW_ERROR;
}

/* Columns [*from, *end) of a row are kept. */
static inline void osw_triangle_kept(const struct osw_triangle *t, int64_t row,
                                     int64_t *from, int64_t *end)
{
    int lower = t->part == OSW_TRIANGLE_LOWER;
    int64_t at = row % t->rows + t->diagonal + (lower ? 1 : 0);

    at = at < 0 ? 0 : at > t->cols ? t->cols : at;
    *from = lower ? 0 : at;
    *end = lower ? at : t->cols;
}

/* The others of a row of the output, whose elements have so many bytes. */
static inline void osw_triangle_clear(const struct osw_triangle *t, int64_t row,
                                      int64_t bytes)
{
    char *to = (char *)osw_at(t->out, row * t->cols);
    int64_t from, end;

    osw_triangle_kept(t, row, &from, &end);
    memset(to, 0, (size_t)(from * bytes));
    memset(to + end * bytes, 0, (size_t)((t->cols - end) * bytes));
}

#endif /* OSW_LIBRARY_TRIANGLE_H */
