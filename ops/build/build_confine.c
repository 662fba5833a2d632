/* ops/build/build_confine.c - which compilers may read the ops' files */
#include "ops/build/build_confine.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/confine.h"

/* Is it really below one of those folders?  They are real paths. */
static bool is_below(const char *source, const char *list)
{
    char real[PATH_MAX];

    if (!list || !realpath(source, real))
        return false;
    while (*list) {
        size_t n = strcspn(list, ":");

        if (n > 0 && strncmp(real, list, n) == 0 && real[n] == '/')
            return true;
        list += n + (list[n] == ':');
    }
    return false;
}

const char *osw_build_confine_word(const char *source)
{
    /* Folders that all may read, among them that of generated sources, can be
     * below the ops' root.
     */
    return is_below(source, getenv(OSW_CONFINE_OPS_VARIABLE)) &&
                   !is_below(source, getenv(OSW_CONFINE_VARIABLE))
               ? OSW_CONFINE_OPS_WORD
               : OSW_CONFINE_WORD;
}
