/* worker/judge/process/zygote.c - a process that imports for Python's sandboxes
 */
#include "worker/judge/process/zygote.h"

#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#define IMPORT_NS INT64_C(120000000000) /* of torch, from afar */
#define FORK_NS   INT64_C(5000000000)   /* one that makes none is left */

enum { MAX_LINES = 1 << 16 };

void osw_zygote_end(struct osw_zygote *zygote)
{
    osw_sandbox_destroy(zygote->sandbox);
    zygote->sandbox = NULL;
    zygote->imported = NULL;
}

/* True: it is ready. */
static bool ensure(struct osw_zygote *zygote)
{
    if (osw_sandbox_alive(zygote->sandbox))
        return true;
    osw_zygote_end(zygote);
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0)
        return false;
    zygote->sandbox = osw_sandbox_start(&zygote->env, NULL);
    if (zygote->sandbox && osw_sandbox_await(zygote->sandbox, IMPORT_NS) == 0)
        return true;
    osw_zygote_end(zygote);
    return false;
}

struct osw_sandbox *osw_zygote_start(struct osw_zygote *zygote,
                                     const struct osw_sandbox_env *env,
                                     const char *import, struct osw_error *err)
{
    struct osw_sandbox *sandbox = NULL;

    if (ensure(zygote)) {
        bool has =
            strcmp(import, zygote->imported ? zygote->imported : "") == 0;

        sandbox = osw_sandbox_fork(zygote->sandbox, env, import,
                                   has ? FORK_NS : IMPORT_NS);
        zygote->imported = import;
    }
    return sandbox ? sandbox : osw_sandbox_start(env, err);
}

bool osw_zygote_mentions(const char *path, const char *word)
{
    bool found = false;
    char line[4096];
    FILE *f = fopen(path, "re");

    for (int n = 0; f && !found && fgets(line, sizeof(line), f); n++)
        found = strstr(line, word) || n == MAX_LINES;
    if (f)
        fclose(f);
    return found;
}
