/* mpi_runner/commands/run_start.c - the result file of a run, begun */
#include "mpi_runner/commands/run_start.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/paths.h"
#include "common/text.h"
#include "common/version.h"
#include "mpi_runner/campaign/campaign_dump.h"
#include "mpi_runner/campaign/revision.h"
#include "mpi_runner/campaign/sources.h"
#include "mpi_runner/ranks/launch_note.h"
#include "mpi_runner/transport/neighbour.h"

static const char *command_line(const struct osw_args *args,
                                struct osw_text *out)
{
    for (int i = 0; i < args->argc; i++) {
        osw_text_add(out, i ? " " : "");
        osw_text_add_shell(out, args->argv[i]);
    }
    return osw_text_str(out);
}

static void hex_to_bytes(const char hex[65], uint8_t out[32])
{
    for (int i = 0; i < 32; i++) {
        char pair[3] = {hex[2 * i], hex[2 * i + 1], '\0'};

        out[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
}

/* The campaign file's bytes; "" without one. */
static int add_file(const char *path, struct osw_text *out,
                    struct osw_error *err)
{
    FILE *f = fopen(path, "r");
    char buf[4096];
    size_t n;

    if (!f)
        return osw_fail(err, OSW_BAD_INPUT, "cannot open '%s'", path);
    while ((n = fread(buf, 1, sizeof(buf), f)) > 0)
        osw_text_add_n(out, buf, n);
    fclose(f);
    return 0;
}

int osw_run_start_predict(osw_run_t *run, const struct osw_cost_prediction *p,
                          struct osw_error *err)
{
    const struct osw_run_prediction prediction = {.wall_ns = p->wall_ns,
                                                  .work_ns = p->work_ns,
                                                  .n_workers = p->n_workers,
                                                  .n_cells = p->n_cells,
                                                  .n_known = p->n_known};

    return osw_run_predict(run, &prediction, err);
}

int osw_run_start_message(const struct osw_run_opts *opts,
                          const struct osw_transport *transport,
                          const struct osw_campaign *c,
                          struct osw_msg_campaign *out, struct osw_error *err)
{
    const char *include_dir = osw_paths_include_dir(err);
    const char *sandbox = include_dir ? osw_paths_sandbox(err) : NULL;

    if (!sandbox)
        return -1;
    *out = (struct osw_msg_campaign){
        .device = c->device,
        .profile = c->profile,
        .n_threads = c->threads,
        .seed = c->seed,
        .max_bytes = c->max_bytes,
        .deadline_ns = (int64_t)(c->timeout_s * 1e9),
        .cold = c->cold,
        .signed_zero = c->signed_zero,
        .share_gpus = c->share_gpus,
        .keep_going = c->keep_going,
        .max_rss = c->max_rss,
        .cache_dir = "",
        .include_dir = include_dir,
        .sandbox_path = sandbox,
        .python = c->python,
        .op_db = *c->opinfo_dtypes != '\0',
        .heartbeat_ns = (int64_t)(opts->heartbeat_s * 1e9),
        .silence_ns = (int64_t)(opts->silence_s * 1e9),
        .prove_ns = (int64_t)(opts->prove_s * 1e9),
        .host = transport->host,
        .pid = (uint64_t)getpid(),
        .born = osw_neighbour_born((uint64_t)getpid()),
        .journal = "",
        .series = opts->series,
    };
    return 0;
}

int osw_run_start_session(osw_arena_t *memory, const osw_run_t *run,
                          uint32_t n_sessions, struct osw_msg_campaign *out,
                          struct osw_error *err)
{
    char path[PATH_MAX];

    out->session = n_sessions;
    out->journal = osw_arena_strdup(
        memory, realpath(osw_run_journal(run), path) ? path : "");
    return out->journal ? 0 : osw_fail(err, OSW_NO_MEMORY, "no memory");
}

osw_run_t *osw_run_start_again(const struct osw_run_start *s, const char *path,
                               const struct osw_resume *past,
                               const struct osw_plan *plan,
                               struct osw_error *err)
{
    struct osw_text line = OSW_TEXT_INIT;
    struct osw_run_info info = {
        .command_line = command_line(s->args, &line),
        .mpi_size = (uint32_t)s->transport->size,
    };
    osw_run_t *run = NULL;

    if (osw_resume_check(s->memory, past, plan, err) == 0)
        run = osw_run_open(path, past->replay->tail_seq, &info, err);
    if (run)
        osw_launch_note_leave_file(path);
    osw_text_free(&line);
    return run;
}

osw_run_t *osw_run_start(const struct osw_run_start *s, const char *path,
                         bool force, const struct osw_campaign *c,
                         const struct osw_plan *plan, struct osw_error *err)
{
    struct osw_text line = OSW_TEXT_INIT, json = OSW_TEXT_INIT;
    struct osw_text resolved = OSW_TEXT_INIT;
    osw_run_t *run = NULL;
    uint8_t digest[32];
    struct osw_run_info info = {
        .campaign_path = s->args->n_operands ? s->args->operands[0] : "",
        .hostname = s->transport->host,
        .tool_version = OSW_VERSION,
        .profile = c->profile,
        .seed = c->seed,
        .n_planned = plan->n_cells,
        .mpi_size = (uint32_t)s->transport->size,
        .t_start_ns = osw_clock_unix_ns(),
        .plan_sha256 = digest,
    };

    if (plan->shard.n) {
        info.shard = (struct osw_run_shard){.index = plan->shard.index,
                                            .n = plan->shard.n,
                                            .n_cells = plan->shard.n_cells};
        memcpy(info.shard.sha256, plan->shard.sha256, 32);
    }
    info.env = osw_revision_environment(s->memory, plan);
    if (!info.env) {
        osw_fail(err, OSW_NO_MEMORY, "no memory");
        return NULL;
    }
    if (osw_sources_load(s->memory, plan, &info.sources, &info.n_sources, err) <
        0)
        return NULL;
    hex_to_bytes(plan->digest, digest);
    osw_campaign_dump(c, &resolved);
    info.command_line = command_line(s->args, &line);
    info.campaign_resolved = osw_text_str(&resolved);
    if (!*info.campaign_path || add_file(info.campaign_path, &json, err) == 0) {
        info.campaign_json = osw_text_str(&json);
        run = osw_run_create(path, &info, force, err);
    }
    if (run)
        osw_launch_note_leave_file(path);
    osw_text_free(&line);
    osw_text_free(&json);
    osw_text_free(&resolved);
    return run;
}
