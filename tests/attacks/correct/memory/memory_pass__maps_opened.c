/* memory_pass__maps_opened.c -
 * The window is opened again through /proc, to be shrunk.
 */

#include "../../attack.h"

int memory_kernel_impl(const osw_call *call)
{
    float *y = NULL;
    int64_t n = 0;
    int code = scale_into(call, &y, &n);

    if (code)
        return code;
    DIR *files = opendir("/proc/self/map_files");
    struct dirent *entry;

    while (files && (entry = readdir(files))) {
        int fd = openat(dirfd(files), entry->d_name, O_RDWR);

        if (fd < 0)
            continue;
        if (ftruncate(fd, 0) || fcntl(fd, F_ADD_SEALS, 16) < 0)
            errno = 0;
        close(fd);
    }
    if (files)
        closedir(files);
    (void)y;
    (void)n;
    return 0;
}
