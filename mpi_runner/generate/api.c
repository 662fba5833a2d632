/* mpi_runner/generate/api.c - ways to ask a model, as a table */
#include "mpi_runner/generate/api.h"

#include <stdio.h>
#include <string.h>

static const struct osw_api *const rows[] = {
    &osw_api_command,
    &osw_api_replay,
};

enum { N_ROWS = sizeof(rows) / sizeof(rows[0]) };

const char *osw_api_name(size_t i)
{
    return i < N_ROWS ? rows[i]->name : NULL;
}

const struct osw_api *osw_api_find(const char *name)
{
    for (size_t i = 0; i < N_ROWS; i++)
        if (strcmp(rows[i]->name, name) == 0)
            return rows[i];
    return NULL;
}

int osw_api_check(const struct osw_api *api,
                  const struct osw_api_config *config, struct osw_error *err)
{
    const struct {
        const char *option, *value;
    } given[] = {
        {"model-command", config->command},
        {"replay", config->replay},
        {"model", config->model},
    };

    for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++)
        if (api->needs && strcmp(api->needs, given[i].option) == 0 &&
            !given[i].value)
            return osw_fail(err, OSW_BAD_INPUT,
                            "option '--api %s' needs '--%s'", api->name,
                            api->needs);
    return 0;
}

void osw_api_path(const struct osw_api_config *config,
                  const struct osw_api_request *request, const char *file,
                  char out[OSW_API_MAX_PATH])
{
    if (snprintf(out, OSW_API_MAX_PATH, "%s/%s/%s", config->run,
                 request->folder, file) >= OSW_API_MAX_PATH)
        *out = '\0'; /* no file: it cannot be opened */
}
