/* tests/fuzz/fuzz_build_deps.c - any bytes as a compiler's rule, a manifest */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ops/build/build_deps.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Paths below a folder that is not there: no file of ours is opened. */
static const struct osw_build_roots roots = {
    .source = "/nowhere/op/x.c",
    .include_dir = "/nowhere/include",
};

/* Every line of a manifest is one file. */
static void check_manifest(const struct osw_text *manifest)
{
    const char *at = osw_text_str(manifest);

    at = strchr(at, '\n') + 1;
    for (; *at; at = strchr(at, '\n') + 1)
        if (!strchr("siat", at[0]) || at[1] != ' ' || at[2] == '\n')
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *bytes = (const char *)data;
    struct osw_text manifest = OSW_TEXT_INIT;
    char name[OSW_BUILD_NAME_SIZE];

    if (osw_build_deps_from_rule(bytes, size, &roots, &manifest) == 0)
        check_manifest(&manifest);
    osw_text_free(&manifest);
    if (osw_build_deps_name(bytes, size, &roots, "key", name, NULL) == 0 &&
        strlen(name) != OSW_BUILD_NAME_SIZE - 1)
        abort();
    return 0;
}
