/* results/export/merge_describe.c - what a merged file says of itself */
#include <sha256.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "results/export/merge_parts.h"

static int64_t time_of(const char *utc)
{
    struct tm tm = {0};

    return strptime(utc, "%Y-%m-%dT%H:%M:%SZ", &tm)
               ? (int64_t)timegm(&tm) * 1000000000
               : 0;
}

static void take_hex(const char *hex, uint8_t out[32])
{
    memset(out, 0, 32);
    for (int i = 0; i < 32 && strlen(hex) == 64; i++) {
        unsigned byte;

        if (sscanf(hex + 2 * i, "%2x", &byte) == 1)
            out[i] = (uint8_t)byte;
    }
}

/* The text when all runs have the same at `offset`, else `other`. */
static const char *common(const struct osw_merging *m, size_t offset,
                          const char *other)
{
    const char *first = NULL;

    for (size_t i = 0; i < m->n_runs; i++) {
        const char *text;

        memcpy(&text, (const char *)&m->runs[i] + offset, sizeof(text));
        if (first && strcmp(first, text) != 0)
            return other;
        first = text;
    }
    return first;
}

#define COMMON(m, member, other)                                               \
    common(m, offsetof(struct osw_file_run, member), other)

/* Made of those of the runs, so that the same files give the same. */
static const char *make_uuid(struct osw_merging *m)
{
    const char *same = COMMON(m, run_uuid, NULL);
    uint8_t b[SHA256_DIGEST_LENGTH];
    SHA2_CTX sha;

    if (same)
        return same;
    SHA256Init(&sha);
    for (size_t i = 0; i < m->n_runs; i++)
        SHA256Update(&sha, (const uint8_t *)m->runs[i].run_uuid,
                     strlen(m->runs[i].run_uuid) + 1);
    SHA256Final(b, &sha);
    return osw_arena_printf(m->arena,
                            "%02x%02x%02x%02x-%02x%02x-8%01x%02x-8%01x%02x-%"
                            "02x%02x%02x%02x%02x%02x",
                            b[0], b[1], b[2], b[3], b[4], b[5], b[6] & 15, b[7],
                            b[8] & 15, b[9], b[10], b[11], b[12], b[13], b[14],
                            b[15]);
}

/* Of several campaigns: the runs have theirs. */
static int describe_campaign(struct osw_merging *m, struct osw_error *err)
{
    struct osw_run_info *i = &m->out.info;
    SHA2_CTX sha;

    i->campaign_path = COMMON(m, campaign_path, "");
    i->campaign_json = COMMON(m, campaign_json, NULL);
    i->campaign_resolved = COMMON(m, campaign_resolved, NULL);
    if (m->only_shards) { /* they differ in the name of the output at most */
        i->campaign_path = m->runs[0].campaign_path;
        i->campaign_json = m->runs[0].campaign_json;
        i->campaign_resolved = m->runs[0].campaign_resolved;
    }
    if (i->campaign_json && i->campaign_resolved) {
        take_hex(m->runs[0].campaign_sha256, m->out.campaign_sha256);
        return 0;
    }
    i->campaign_json = "";
    i->campaign_resolved =
        osw_arena_printf(m->arena, "{\"merged\": %zu}", m->n_runs);
    if (!i->campaign_resolved)
        return osw_merge_no_memory(err);
    SHA256Init(&sha);
    SHA256Update(&sha, (const uint8_t *)i->campaign_resolved,
                 strlen(i->campaign_resolved));
    SHA256Final(m->out.campaign_sha256, &sha);
    return 0;
}

int osw_merge_describe(struct osw_merging *m, struct osw_error *err)
{
    struct osw_run_info *i = &m->out.info;
    bool seeds = true;

    i->uuid = make_uuid(m);
    i->tool_version = COMMON(m, tool_version, "several");
    i->command_line = COMMON(m, command_line, "opsweep merge");
    i->hostname = COMMON(m, hostname, "several hosts");
    i->profile = COMMON(m, profile, "several");
    for (size_t k = 0; k < m->n_runs; k++) {
        int64_t start = time_of(m->runs[k].created_utc);
        int64_t end = time_of(m->runs[k].sealed_utc);

        if (k == 0 || start < i->t_start_ns)
            i->t_start_ns = start;
        if (end > m->out.t_end_ns)
            m->out.t_end_ns = end;
        seeds &= m->runs[k].seed == m->runs[0].seed;
    }
    i->seed = seeds ? m->runs[0].seed : 0;
    for (size_t k = 0; k < m->n; k++)
        i->mpi_size += osw_merge_n_ranks(&m->inputs[k]);
    if (m->n_plans == 1)
        take_hex(m->inputs[0].plan_sha256, m->out.plan_sha256);
    if (m->shard && m->n_plans == 1 && !m->out.complete) {
        i->shard = (struct osw_run_shard){.n = m->shard->n,
                                          .n_cells = m->shard->n_cells};
        take_hex(m->shard->sha256, i->shard.sha256);
    }
    m->out.ended = true;
    if (!i->uuid)
        return osw_merge_no_memory(err);
    return describe_campaign(m, err);
}

int osw_merge_collect_runs(struct osw_merging *m, struct osw_error *err)
{
    m->runs = osw_arena_array(m->arena, m->n_runs + 1, sizeof(*m->runs));
    if (!m->runs)
        return osw_merge_no_memory(err);
    for (size_t i = 0; i < m->n; i++)
        for (size_t k = 0; k < m->inputs[i].n_runs; k++) {
            struct osw_file_run *r = &m->runs[m->inputs[i].first_run + k];

            *r = m->inputs[i].runs[k];
            r->rank_first += m->inputs[i].rank_first;
            r->n_kept = 0;
        }
    return 0;
}
