/* worker/judge/batch/batch_rest.c - cells that a batch did not settle */
#include "worker/judge/batch/batch_rest.h"

#include <stdlib.h>

/* The unsettled cells of a bundle, as a bundle of their own. */
struct rest {
    const struct osw_bundle *whole;
    const char **impls;
    uint64_t *keys;
    uint32_t *k; /* which cells of the whole */
    void (*emit)(void *arg, const struct osw_record *record);
    void *arg;
};

static void emit_as_whole(void *arg, const struct osw_record *record)
{
    const struct rest *rest = arg;
    struct osw_record r = *record;

    r.cell = rest->whole->first_cell +
             rest->k[record->cell - rest->whole->first_cell];
    rest->emit(rest->arg, &r);
}

/* Judge the cells that the batch did not settle, each bundle by itself. */
static int run_rest(struct osw_judge *judge, const struct osw_bundle *bundle,
                    const bool *settled, struct rest *rest,
                    struct osw_error *err)
{
    struct osw_bundle alone = *bundle;

    rest->whole = bundle;
    alone.impls = rest->impls;
    alone.cell_keys = rest->keys;
    alone.n_impls = 0;
    for (uint32_t k = 0; k < bundle->n_impls; k++)
        if (!settled[k]) {
            rest->k[alone.n_impls] = k;
            rest->impls[alone.n_impls] = bundle->impls[k];
            rest->keys[alone.n_impls++] = bundle->cell_keys[k];
        }
    return alone.n_impls > 0
               ? osw_judge_bundle(judge, &alone, emit_as_whole, rest, err)
               : 0;
}

int osw_batch_rest(struct osw_judge *judge, const struct osw_bundle *bundles,
                   uint32_t n, bool **settled,
                   void (*emit)(void *arg, const struct osw_record *record),
                   void *arg, struct osw_error *err)
{
    uint32_t most = 1;
    struct rest rest = {.emit = emit, .arg = arg};
    int rc = 0;

    for (uint32_t i = 0; i < n; i++)
        most = bundles[i].n_impls > most ? bundles[i].n_impls : most;
    rest.impls = calloc(most, sizeof(*rest.impls));
    rest.keys = calloc(most, sizeof(*rest.keys));
    rest.k = calloc(most, sizeof(*rest.k));
    if (!rest.impls || !rest.keys || !rest.k)
        rc = osw_fail(err, OSW_NO_MEMORY, "no memory for a bundle");
    for (uint32_t i = 0; i < n && rc == 0 && !osw_judge_stops(judge); i++)
        rc = run_rest(judge, &bundles[i], settled[i], &rest, err);
    free(rest.impls);
    free(rest.keys);
    free(rest.k);
    return rc;
}
