/* mpi_runner/generate/ask/api.c - ways to ask a model, as a table */
#include "mpi_runner/generate/ask/api.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/paths.h"
#include "mpi_runner/generate/ask/asked.h"
#include "mpi_runner/generate/ask/retry.h"

static const struct osw_api *const rows[] = {
    &osw_api_anthropic,
    &osw_api_openai,
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

static int check_endpoint(const struct osw_api *api,
                          const struct osw_api_config *config,
                          struct osw_error *err)
{
    const char *url = config->url ? config->url : api->url;
    const char *name = osw_api_key_env(api, config);
    const char *key = getenv(name), *wrong;
    bool local;

    wrong = osw_retry_check_url(url, &local);
    if (wrong)
        return osw_fail(err, OSW_BAD_INPUT, "option '--url' '%.200s': %s", url,
                        wrong);
    if (!key || !*key)
        return local ? 0
                     : osw_fail(err, OSW_BAD_INPUT,
                                "'--api %s' needs a key: expected the "
                                "variable '%s' in the environment "
                                "(--key-env names another)",
                                api->name, name);
    for (const char *c = key; *c; c++)
        if (*c <= ' ' || *c > '~')
            return osw_fail(err, OSW_BAD_INPUT,
                            "the key in '%s': expected printable characters "
                            "without blanks",
                            name);
    return 0;
}

/* Before a campaign judges anything: is there what answers? */
static int check_source(const struct osw_api *api,
                        const struct osw_api_config *config,
                        struct osw_error *err)
{
    char journal[OSW_API_MAX_PATH];

    if (api == &osw_api_command && !osw_paths_is_program(config->command))
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--model-command': expected a program that "
                        "answers prompts, found none as '%.200s'",
                        config->command);
    snprintf(journal, sizeof(journal), "%s/journal",
             config->replay ? config->replay : "");
    if (api == &osw_api_replay && access(journal, R_OK) < 0)
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--replay': '%.200s' is no folder of a run: "
                        "no 'journal': %s",
                        config->replay, strerror(errno));
    return 0;
}

int osw_api_check(const struct osw_api *api,
                  const struct osw_api_config *config, struct osw_error *err)
{
    const struct {
        const char *option, *value, *words;
    } given[] = {
        {"model-command", config->command, "a program that answers prompts"},
        {"replay", config->replay, "the folder of an earlier run"},
        {"model", config->model,
         "the model's name; --model-command PROGRAM asks a program instead"},
    };

    for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++)
        if (api->needs && strcmp(api->needs, given[i].option) == 0 &&
            !given[i].value)
            return osw_fail(err, OSW_BAD_INPUT,
                            "option '--%s' is missing: '--api %s' needs it, %s",
                            api->needs, api->name, given[i].words);
    if (config->url && !api->url)
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--url' is not for '--api %s'", api->name);
    if (check_source(api, config, err) < 0)
        return -1;
    return api->url ? check_endpoint(api, config, err) : 0;
}

const char *osw_api_key_env(const struct osw_api *api,
                            const struct osw_api_config *config)
{
    return config->key_env ? config->key_env : api->key_env;
}

static void forget(const char *name)
{
    char *value = name ? getenv(name) : NULL;

    if (!value)
        return;
    explicit_bzero(value, strlen(value));
    unsetenv(name);
}

void osw_api_forget_keys(const struct osw_api_config *config)
{
    for (size_t i = 0; i < N_ROWS; i++)
        forget(rows[i]->key_env);
    forget(config->key_env);
}

void osw_api_path(const struct osw_api_config *config,
                  const struct osw_api_request *request, const char *file,
                  char out[OSW_API_MAX_PATH])
{
    if (snprintf(out, OSW_API_MAX_PATH, "%s/%s/%s", config->run,
                 request->folder, file) >= OSW_API_MAX_PATH)
        *out = '\0'; /* no file: it cannot be opened */
}

int osw_api_keep_answer(const struct osw_api_config *config,
                        const struct osw_api_request *request,
                        const char *bytes, size_t n, struct osw_error *err)
{
    char path[OSW_API_MAX_PATH];
    FILE *f;
    bool ok;

    osw_api_path(config, request, "answer.txt", path);
    f = fopen(path, "we");
    ok = f && fwrite(bytes, 1, n, f) == n && fflush(f) == 0 &&
         fsync(fileno(f)) == 0;
    if (f && fclose(f) != 0)
        ok = false;
    if (!ok)
        return osw_fail_sys(err, errno, "cannot write '%s'", path);
    osw_asked_sync_folder(path);
    return 0;
}
