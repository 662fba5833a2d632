/* mpi_runner/campaign/campaign_dump.c - a campaign as JSON */
#include "mpi_runner/campaign/campaign_dump.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/json_out.h"
#include "ops/cases/cell.h"
#include "ops/cases/suite.h"
#include "ops/catalog/backend.h"

static void dump_cells(struct osw_json_out *o, const struct osw_campaign *c)
{
    char key[32];

    osw_json_out_list(o, "cells");
    for (size_t i = 0; i < c->n_cells; i++) {
        snprintf(key, sizeof(key), "0x%016" PRIx64, c->cells[i]);
        osw_json_out_str(o, NULL, key);
    }
    osw_json_out_end(o);
}

static void dump_seed(struct osw_json_out *o, uint64_t seed)
{
    char word[32];

    snprintf(word, sizeof(word), "%" PRIu64, seed);
    if (seed <= INT64_MAX)
        osw_json_out_u64(o, "seed", seed);
    else
        osw_json_out_str(o, "seed", word);
}

static void dump_words(struct osw_json_out *o, const char *key,
                       const char *const *words, size_t n)
{
    osw_json_out_list(o, key);
    for (size_t i = 0; i < n; i++)
        osw_json_out_str(o, NULL, words[i]);
    osw_json_out_end(o);
}

void osw_campaign_dump(const struct osw_campaign *c, struct osw_text *out)
{
    struct osw_json_out o = osw_json_out(out);

    osw_json_out_object(&o, NULL);
    osw_json_out_str(&o, "backend", c->backend);
    osw_json_out_str(&o, "baseline", c->baseline);
    osw_json_out_str(&o, "case", c->given_case);
    dump_cells(&o, c);
    osw_json_out_str(&o, "custom_ops_root", c->custom_ops_root);
    osw_json_out_str(&o, "device", c->device);
    osw_json_out_str(&o, "fill", c->fill);
    dump_words(&o, "history", c->history, c->n_history);
    dump_words(&o, "impls", c->impls, c->n_impls);
    osw_json_out_str(&o, "kernels_dir", c->kernels_dir);
    osw_json_out_bool(&o, "cold", c->cold);
    osw_json_out_bool(&o, "share_gpus", c->share_gpus);
    osw_json_out_bool(&o, "signed_zero", c->signed_zero);
    osw_json_out_bool(&o, "keep_going", c->keep_going);
    osw_json_out_str(&o, "library", c->library);
    osw_json_out_u64(&o, "max_bytes", c->max_bytes);
    osw_json_out_u64(&o, "max_rss", c->max_rss);
    osw_json_out_f64(&o, "max_work", c->max_work_s);
    osw_json_out_i64(&o, "offset", c->offset);
    osw_json_out_str(&o, "opinfo_dtype", c->opinfo_dtypes);
    dump_words(&o, "ops", c->ops, c->n_ops);
    osw_json_out_str(&o, "ops_yaml", ""); /* its operators are among "ops" */
    osw_json_out_str(&o, "output", c->output);
    osw_json_out_str(&o, "profile", c->profile);
    osw_json_out_str(&o, "python", c->python);
    osw_json_out_u64(&o, "ranks", c->ranks);
    dump_seed(&o, c->seed);
    osw_json_out_str(&o, "suite", c->suite);
    osw_json_out_u64(&o, "threads", c->threads);
    osw_json_out_f64(&o, "timeout", c->timeout_s);
    osw_json_out_u64(&o, "top", c->top);
    osw_json_out_str(&o, "top_by", c->top_by);
    dump_words(&o, "traces", c->traces, c->n_traces);
    osw_json_out_end(&o);
}
