/* mpi_runner/campaign/cost_history_file.c - what cells took, from result files
 */
#include "mpi_runner/campaign/cost_history_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/guard.h"
#include "common/log.h"
#include "ops/record/state.h"
#include "results/file/file.h"

enum { BLOCK = 16384 };

struct reading {
    osw_cost_history_t *history;
    const struct osw_campaign *campaign;
    const char *path;
    bool quiet; /* warn of nothing */
};

static bool is_of_use(const struct osw_record *r)
{
    enum osw_state_group group;

    if (!osw_state_known(r->status_id) || r->rank < 0)
        return false;
    group = osw_state_group((enum osw_state)r->status_id);
    return group != OSW_GROUP_INFRA && r->wall_ns > r->build_ns &&
           r->build_ns >= 0 && r->wall_ns < INT64_C(1000000000000000);
}

/* Compiling is left out, as in the cache: the next time it is done. */
static int take_block(struct reading *g, const osw_file_t *file,
                      const struct osw_record *records, size_t n,
                      struct osw_error *err)
{
    for (size_t i = 0; i < n; i++) {
        const struct osw_record *r = &records[i];

        if (!is_of_use(r))
            continue;
        if (osw_cost_history_add_cell(
                g->history, r->cell_key,
                osw_file_text(file, OSW_DICT_OP, r->op_id),
                osw_file_text(file, OSW_DICT_IMPL, r->impl_id),
                (double)(r->wall_ns - r->build_ns)) < 0)
            return osw_fail(err, OSW_NO_MEMORY, "no memory for '%s'", g->path);
    }
    return 0;
}

static int take_file(struct reading *g, const osw_file_t *file,
                     struct osw_error *err)
{
    uint64_t n = osw_file_info(file)->n_results;
    struct osw_record *records = malloc(BLOCK * sizeof(*records));
    int rc = records
                 ? 0
                 : osw_fail(err, OSW_NO_MEMORY, "no memory for '%s'", g->path);

    for (uint64_t at = 0; at < n && rc == 0; at += BLOCK) {
        size_t part = n - at < BLOCK ? (size_t)(n - at) : BLOCK;

        rc = osw_file_records(file, at, part, records, err);
        if (rc == 0)
            rc = take_block(g, file, records, part, err);
    }
    free(records);
    return rc;
}

static int read_file(struct reading *g, struct osw_error *err)
{
    const struct osw_file_info *info;
    osw_file_t *file = osw_file_open(g->path, err);
    int rc = 0;

    if (!file)
        return osw_error_in(err, "option '--history'");
    info = osw_file_info(file);
    if (strcmp(info->profile, g->campaign->profile) == 0)
        rc = take_file(g, file, err);
    else if (!g->quiet)
        osw_log(OSW_LOG_WARNING,
                "option '--history': '%s' is left out: it has profile %s, "
                "expected %s as of this campaign",
                g->path, info->profile, g->campaign->profile);
    osw_file_close(file);
    return rc;
}

/* The file is untrusted: whether it can be read is tried by another process,
 * which this one then does after it.
 */
static int try_file(void *arg, struct osw_error *err)
{
    struct reading g = *(const struct reading *)arg;
    int rc;

    g.quiet = true;
    g.history = osw_cost_history_create("");
    rc = g.history ? read_file(&g, err)
                   : osw_fail(err, OSW_NO_MEMORY, "no memory for '%s'", g.path);
    osw_cost_history_destroy(g.history);
    return rc;
}

int osw_cost_history_files(osw_cost_history_t *history,
                           const struct osw_campaign *campaign, bool quiet,
                           struct osw_error *err)
{
    struct reading g = {
        .history = history, .campaign = campaign, .quiet = quiet};

    for (size_t i = 0; i < campaign->n_history; i++) {
        g.path = campaign->history[i];
        if (osw_guard_call(try_file, &g, err) < 0 || read_file(&g, err) < 0)
            return -1;
    }
    return 0;
}
