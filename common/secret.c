/* common/secret.c - which environment variables may be secrets */
#include "common/secret.h"

#include <stddef.h>
#include <string.h>

static const char *const words[] = {
    "TOKEN",   "SECRET", "PASSW", "CREDENTIAL",
    "PRIVATE", "_KEY",   "JWT",   "APIKEY",
};

bool osw_secret_name(const char *assignment)
{
    size_t n = strcspn(assignment, "=");

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (memmem(assignment, n, words[i], strlen(words[i])))
            return true;
    return false;
}
