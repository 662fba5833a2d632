/* gather_pass__whole_rows.c - memcpy, row by row, where rows lie in one piece
 *
 */
#include "gather.h"

int gather_kernel_impl(const osw_call *call)
{
    struct gather g;
    int rc = gather_open(call, &g);
    size_t bytes = rc ? 0 : (size_t)g.d * (g.y.dtype.bits / 8);

    for (int64_t i = 0; !rc && i < g.n; i++) {
        const char *from =
            view_at(&g.table, gather_index(&g, i) * g.table.stride[0]);

        if (g.table.stride[1] == 1)
            memcpy(g.y.at + (size_t)i * bytes, from, bytes);
        else
            for (int64_t j = 0; j < g.d; j++)
                gather_copy(&g, i, gather_index(&g, i), j);
    }
    return rc;
}
