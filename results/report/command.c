/* results/report/command.c - the command line that runs one cell alone */
#include "results/report/command.h"

#include <inttypes.h>
#include <string.h>

#include "common/json.h"

static void add_word(struct osw_text *t, const char *word)
{
    osw_text_add(t, " ");
    osw_text_add_shell(t, word);
}

static void add_option(struct osw_text *t, const char *flag, const char *value)
{
    osw_text_add(t, " --");
    osw_text_add(t, flag);
    add_word(t, value);
}

/* What of the campaign decides how a cell runs: key, and the flag for it. */
static const struct {
    const char *key, *flag;
} carried[] = {
    {"suite", "suite"},
    {"backend", "backend"},
    {"custom_ops_root", "custom-ops-root"},
    {"ops_root", "custom-ops-root"},
    {"kernels_dir", "kernels-dir"},
    {"baseline", "baseline"},
    {"device", "device"},
    {"profile", "profile"},
};

static void add_switches(struct osw_text *out, const osw_json_t *campaign)
{
    const osw_json_t *v = osw_json_get(campaign, "signed_zero");
    bool on = false;

    if (osw_json_kind(v) == OSW_JSON_BOOL && osw_json_bool(v, &on, NULL) == 0 &&
        on)
        osw_text_add(out, " --signed-zero");
}

int osw_command_begin(const struct osw_file_run *run, struct osw_text *out,
                      struct osw_error *err)
{
    osw_json_t *campaign =
        osw_json_parse(run->campaign_resolved, strlen(run->campaign_resolved),
                       "/campaign/resolved", err);

    if (!campaign)
        return -1;
    osw_text_add(out, "opsweep run");
    for (size_t i = 0; i < sizeof(carried) / sizeof(carried[0]); i++) {
        const osw_json_t *v = osw_json_get(campaign, carried[i].key);
        const char *value = "";

        if (osw_json_kind(v) == OSW_JSON_STR &&
            osw_json_str(v, &value, err) == 0 && *value)
            add_option(out, carried[i].flag, value);
    }
    add_switches(out, campaign);
    osw_json_free(campaign);
    return 0;
}

void osw_command_cell(const char *op, const char *impl, const char *case_text,
                      const char *fill, struct osw_text *out)
{
    const char *const options[][2] = {
        {"ops", op}, {"impls", impl}, {"case", case_text}, {"fill", fill}};

    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
        if (*options[i][1])
            add_option(out, options[i][0], options[i][1]);
}

void osw_command_world(uint32_t world, uint64_t cell_key, struct osw_text *out)
{
    if (world > 1)
        osw_text_printf(out, " -n %" PRIu32 " --cells 0x%016" PRIx64, world + 1,
                        cell_key);
}

void osw_command_end(const struct osw_file_run *run, struct osw_text *out)
{
    osw_text_printf(out, " --seed %" PRIu64 " -o cell.h5", run->seed);
}
