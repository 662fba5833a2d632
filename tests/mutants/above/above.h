/* above.h - the elements above 1, in order, and all elements doubled
 *
 * The first output has another size for each fill, and the second lies after
 * it.
 */
#include <opsweep/elements.h>

#include "../mutant.h"

static inline int64_t above_count(const osw_tensor *x)
{
    int64_t n = 0;

    for (int64_t i = 0; i < osw_numel(x); i++)
        n += osw_get(x, i) > 1;
    return n;
}

/* `extra` elements more than there are, of those that are not above. */
static inline int above_run(const osw_call *call, int64_t extra)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    int64_t n = osw_numel(x), k = above_count(x) + extra, at = 0;
    osw_tensor *chosen = osw_output(call, 0, x->dtype, 1, &k, NULL);
    osw_tensor *twice =
        chosen ? osw_output(call, 1, x->dtype, 1, &n, NULL) : NULL;

    if (!twice)
        return OSW_ERROR;
    for (int64_t i = 0; i < n; i++) {
        double v = osw_get(x, i);

        osw_set(twice, i, 2 * v);
        if (v > 1)
            osw_set(chosen, at++, v);
    }
    while (at < k)
        osw_set(chosen, at++, 0);
    return 0;
}
