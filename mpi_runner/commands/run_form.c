/* mpi_runner/commands/run_form.c - which form of `opsweep run` a line asks for
 */
#include "mpi_runner/commands/run_form.h"

#include <string.h>

#include "common/json.h"

extern const struct osw_cmd osw_cmd_run_llm;

const struct osw_cmd *osw_run_form(int argc, const char *const *argv)
{
    const char *named = NULL;
    osw_json_t *campaign;

    for (int i = 2; i < argc; i++) {
        size_t n = strlen(argv[i]);

        if (strncmp(argv[i], "--backend=", 10) == 0)
            named = argv[i] + 10;
        else if (strcmp(argv[i], "--backend") == 0 && i + 1 < argc)
            named = argv[++i];
        else if (!named && n > 5 && strcmp(argv[i] + n - 5, ".json") == 0 &&
                 (campaign = osw_json_load_file(argv[i], NULL))) {
            const char *word = "";

            (void)!osw_json_str(osw_json_get(campaign, "backend"), &word, NULL);
            named = strcmp(word, "llm") == 0 ? "llm" : NULL;
            osw_json_free(campaign);
        }
    }
    return named && strcmp(named, "llm") == 0 ? &osw_cmd_run_llm : NULL;
}
