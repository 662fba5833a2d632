/* attacks/answer.h - answers of the sandbox, edited on their way to the judge
 *
 * edit_answers(edit): from now on edit() is called for each message that the
 * sandbox sends, and may change it (room for ANSWER_ROOM bytes), send others
 * by say(), and says how many bytes are sent; 0: none.
 */
#ifndef ANSWER_H
#define ANSWER_H

#include "attack.h"

enum {
    ANSWER_ROOM = 1 << 20,
    RESULT = 66,
    SAMPLES = 67,
    RESULTS = 68,
    PROGRESS = 70,
    /* bytes of a RESULT, where its text is empty */
    AT_CODE = 1,
    AT_LOST = 9,
    AT_TEXT = 14,
    AT_CALL_NS = 17,
    AT_HASH = 25,
    AT_BYTES = 33,
    AT_FLOPS = 41,
    AT_GUARD = 49,
    AT_GUARD_BYTES = 57,
    AT_HIGH_WATER = 65,
    AT_N_OUTPUTS = 73,
    AT_DTYPE = 77,
    AT_NDIM = 78,
    AT_ALIAS = 79,
    AT_SHAPE = 87,
    AT_STRIDE = 95, /* of an output of one dimension */
    AT_OFFSET = 103,
    AT_EXACT = 111,
    AT_NORM = 119,
    RESULT_BYTES = 127,
};

static size_t (*answer_edit)(unsigned char *m, size_t n);
static unsigned char answer_room[ANSWER_ROOM];

static ssize_t say(const void *m, size_t n)
{
    return syscall(SYS_sendto, JUDGE, m, n, MSG_NOSIGNAL, NULL, 0);
}

__attribute__((unused)) static ssize_t answer_hook(int fd, const void *m,
                                                   size_t n, int flags)
{
    size_t edited;

    if (fd != JUDGE || n > sizeof(answer_room))
        return syscall(SYS_sendto, fd, m, n, flags, NULL, 0);
    memcpy(answer_room, m, n);
    edited = answer_edit(answer_room, n);
    if (edited)
        say(answer_room, edited);
    return (ssize_t)n;
}

/* To be called from the op: it is its sandbox's answers that change. */
static void edit_answers(size_t (*edit)(unsigned char *m, size_t n))
{
    if (answer_edit)
        return;
    answer_edit = edit;
    if (!patch("send", (const void *)answer_hook))
        raise(SIGKILL);
}

/* The i-th result of a message, which has one, or is the answer to several
 * steps; NULL after the last one.  Only cases of one dimension are found.
 */
__attribute__((unused)) static unsigned char *part(unsigned char *m, size_t n,
                                                   size_t i)
{
    size_t count = (n - 5) / (8 + RESULT_BYTES);

    if (m[0] == RESULT && n == RESULT_BYTES)
        return i == 0 ? m : NULL;
    if (m[0] != RESULTS || n != 5 + count * (8 + RESULT_BYTES) || i >= count)
        return NULL;
    return m + 5 + 8 * count + i * RESULT_BYTES;
}

/* Put bytes into each result of a message. */
__attribute__((unused)) static size_t
put_bytes(unsigned char *m, size_t n, int at, const void *bytes, size_t n_bytes)
{
    for (size_t i = 0; part(m, n, i); i++)
        if (at == AT_HASH && m[0] == RESULTS)
            memcpy(m + 5 + 8 * i, bytes, n_bytes);
        else
            memcpy(part(m, n, i) + at, bytes, n_bytes);
    return n;
}

__attribute__((unused)) static size_t put(unsigned char *m, size_t n, int at,
                                          uint64_t value)
{
    return put_bytes(m, n, at, &value, sizeof(value));
}

#endif /* ANSWER_H */
