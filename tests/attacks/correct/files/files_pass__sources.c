/* files_pass__sources.c -
 * It writes to its own sources, the next op and the reference.
 */

#include "../../attack.h"

int files_kernel_impl(const osw_call *call)
{
    float *y = NULL;
    int64_t n = 0;
    int code = scale_into(call, &y, &n);

    if (code)
        return code;
    const char *names[] = {"files/files_reference.c", "files/gen_input.json",
                           "files/op.json", "files/files_pass__honest.c",
                           "ends/gen_input.json"};

    (void)y;
    (void)n;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char path[200];
        int fd;

        snprintf(path, sizeof(path), "../ops/correct/%s", names[i]);
        fd = open(outside(path), O_WRONLY | O_CREAT, 0666);
        if (fd >= 0 && write(fd, "#error attacked", 15) < 0)
            errno = 0;
        close(fd);
        unlink(outside(path));
    }
    return 0;
}
