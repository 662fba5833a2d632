/* ops/library/cat/cat_onednn.c - tensors side by side, by oneDNN's concat */
#include "../shared/onednn.h"
#include "cat.h"

/* md: dst, then the tensors */
static dnnl_status_t make_concat(const struct osw_onednn_spec *s,
                                 const dnnl_memory_desc_t *md,
                                 dnnl_engine_t engine,
                                 dnnl_primitive_desc_t *pd)
{
    return dnnl_concat_primitive_desc_create(pd, &md[0], (int)s->n_args - 1,
                                             s->axis, &md[1], NULL, engine);
}

int cat_kernel_impl(const osw_call *call)
{
    struct osw_cat c = {0};
    struct osw_onednn o;
    int rc = osw_cat_open(call, &c), n = 0;

    if (rc || osw_numel(c.out) == 0)
        return rc;
    osw_onednn_begin(&o, call, make_concat, dnnl_alg_kind_undef);
    o.spec.axis = c.dim;
    osw_onednn_tensor(&o, DNNL_ARG_DST, c.out);
    for (uint32_t i = 0; i < c.list->n; i++) {
        const osw_tensor *t = c.list->u.items[i].u.tensor;

        if (osw_numel(t) > 0)
            osw_onednn_tensor(&o, DNNL_ARG_MULTIPLE_SRC + n++, t);
    }
    return osw_onednn_run(&o);
}
