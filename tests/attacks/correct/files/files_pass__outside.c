/* files_pass__outside.c -
 * It creates, changes, renames and removes files outside of its scratch
 * folder.
 */

#include "../../attack.h"

int files_kernel_impl(const osw_call *call)
{
    float *y = NULL;
    int64_t n = 0;
    int code = scale_into(call, &y, &n);

    if (code)
        return code;
    const char *names[] = {"file", "folder/inner", "new", "folder/new"};

    (void)y;
    (void)n;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        int fd = open(outside(names[i]), O_RDWR | O_CREAT | O_APPEND, 0666);

        if (fd >= 0 && write(fd, "attacked", 8) < 0)
            errno = 0;
        close(fd);
        if (truncate(outside(names[i]), 1))
            errno = 0;
        rename(outside(names[i]), "taken");
        unlink(outside(names[i]));
        rmdir(outside(names[i]));
    }
    if (symlink("/etc/passwd", outside("link")) &&
        mkfifo(outside("fifo"), 0666) && mkdir(outside("new-folder"), 0777))
        errno = 0;
    return 0;
}
