/* files_pass__cache.c - It spoils the build cache. */

#include "../../attack.h"

int files_kernel_impl(const osw_call *call)
{
    float *y = NULL;
    int64_t n = 0;
    int code = scale_into(call, &y, &n);

    if (code)
        return code;
    DIR *cache = opendir(getenv("ATTACK_CACHE"));
    struct dirent *entry;

    (void)y;
    (void)n;
    while (cache && (entry = readdir(cache))) {
        int fd = openat(dirfd(cache), entry->d_name, O_WRONLY | O_TRUNC);

        close(fd);
        unlinkat(dirfd(cache), entry->d_name, 0);
    }
    if (cache)
        closedir(cache);
    close(open("cost_history.txt", O_WRONLY | O_TRUNC));
    return 0;
}
