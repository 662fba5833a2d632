/* files_pass__home.c -
 * It leaves files in HOME and where shells and Python look.
 */

#include "../../attack.h"

int files_kernel_impl(const osw_call *call)
{
    float *y = NULL;
    int64_t n = 0;
    int code = scale_into(call, &y, &n);

    if (code)
        return code;
    const char *names[] = {".bashrc", ".pythonrc.py", ".ssh", "file",
                           ".local/lib/python3.11/site-packages/x.pth"};

    (void)y;
    (void)n;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char path[200];

        snprintf(path, sizeof(path), "../home/%s", names[i]);
        close(open(outside(path), O_WRONLY | O_CREAT | O_TRUNC, 0666));
        mkdir(outside(path), 0777);
    }
    return 0;
}
