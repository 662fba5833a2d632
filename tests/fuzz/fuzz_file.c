/* tests/fuzz/fuzz_file.c - a result file from a stranger
 *
 * First byte even: the rest is the file; the checksum has to refuse all that
 * was changed by accident.
 *
 * First byte odd: a forged file.  The rest are changes, of 14 bytes each, to
 * one that opsweep wrote: width (1), what place (1), offset (4), value (8).
 * Then the footer, and the checksums of HDF5's object headers, are made right
 * as an attacker would do, so that libhdf5 itself reads what was changed. It
 * does not survive that, so the file is read in the guarded child, as commands
 * do.  A find is what gets past it: an end that is no error with the file's
 * name.
 */
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/guard.h"
#include "results/compare/compare.h"
#include "results/file/file.h"
#include "results/file/footer.h"
#include "results/history/history.h"
#include "results/report/report.h"
#include "results/report/report_generation.h"
#include "tests/unit/results/fixture.h"

enum { EDIT_BYTES = 14, MAX_HEADERS = 1024 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
void __sanitizer_set_death_callback(void (*f)(void)) __attribute__((weak));

/* --- reading it --- */

/* As a baseline, and as the one campaign held against it. */
static void follow(const osw_file_t *file)
{
    static const struct osw_history_options options = {0.02, 0.05, NULL, 0};
    struct osw_error err = OSW_ERROR_INIT;
    osw_history_t *h = osw_history_create(&options, &err);

    if (h && osw_history_add(h, file, true, &err) == 0 &&
        osw_history_add(h, file, false, &err) == 0)
        (void)!osw_history_judge(h, NULL, &err);
    osw_history_destroy(h);
}

static void read_all(const osw_file_t *file)
{
    static struct osw_record records[64];
    static const struct osw_compare_options options = {0.02, 1, 1};
    struct osw_error err = OSW_ERROR_INIT;
    uint64_t n = osw_file_info(file)->n_results;
    struct osw_report_summary sum;
    struct osw_generation g;
    struct osw_compare c;
    float samples[64];

    (void)!osw_file_records(file, 0, n < 64 ? (size_t)n : 64, records, &err);
    (void)!osw_file_samples(file, 0, 64, samples, &err);
    err = (struct osw_error)OSW_ERROR_INIT;
    if (osw_report_summarize(file, &sum, &err) == 0)
        osw_report_summary_free(&sum);
    err = (struct osw_error)OSW_ERROR_INIT;
    (void)!osw_compare_run(file, file, &options, &c, &err);
    osw_compare_free(&c);
    err = (struct osw_error)OSW_ERROR_INIT;
    if (osw_generation_read(file, &g, &err) == 0) {
        (void)osw_generation_scores_of(&g);
        osw_generation_free(&g);
    }
    follow(file);
}

static int open_and_read(const char *path, struct osw_error *err)
{
    osw_file_t *file = osw_file_open(path, err);

    if (file)
        read_all(file);
    osw_file_close(file);
    return file ? 0 : -1;
}

/* --- a file of ours, and where it can be changed --- */

static struct {
    unsigned char *bytes; /* [size], without the footer */
    size_t size;
    struct {
        size_t at, n; /* n bytes, then their checksum */
    } headers[MAX_HEADERS];
    size_t n_headers;
} ours;

static uint32_t turn(uint32_t x, int n)
{
    return x << n | x >> (32 - n);
}

static uint32_t word_at(const unsigned char *p, size_t n, size_t i)
{
    uint32_t w = 0;

    for (size_t k = 0; k < 4 && i + k < n; k++)
        w |= (uint32_t)p[i + k] << (8 * k);
    return w;
}

/* The checksum of HDF5's metadata: Jenkins' lookup3 of n > 0 bytes. */
static uint32_t lookup3(const unsigned char *p, size_t n)
{
    static const int mix[] = {4, 6, 8, 16, 19, 4};
    static const int end[] = {14, 11, 25, 16, 4, 14, 24};
    uint32_t v[3];
    size_t i = 0;

    v[0] = v[1] = v[2] = 0xdeadbeefU + (uint32_t)n;
    for (; n - i > 12; i += 12) {
        for (size_t k = 0; k < 3; k++)
            v[k] += word_at(p, n, i + 4 * k);
        for (unsigned k = 0; k < 6; k++) {
            uint32_t *a = &v[k % 3], *b = &v[(k + 1) % 3], *c = &v[(k + 2) % 3];

            *a = (*a - *c) ^ turn(*c, mix[k]);
            *c += *b;
        }
    }
    for (size_t k = 0; k < 3; k++)
        v[k] += word_at(p, n, i + 4 * k);
    for (unsigned k = 0; k < 7; k++) {
        uint32_t *c = &v[(k + 2) % 3], *b = &v[(k + 1) % 3];

        *c = (*c ^ *b) - turn(*b, end[k]);
    }
    return v[2];
}

/* An object header of version 2 at `at`: how many bytes its checksum is of. */
static size_t header_bytes(size_t at)
{
    const unsigned char *p = ours.bytes + at;
    size_t head = 6, n = 0, width;

    if (ours.size - at < 64 || memcmp(p, "OHDR\2", 5) != 0)
        return 0;
    head += (p[5] & 0x20 ? 16U : 0U) + (p[5] & 0x10 ? 4U : 0U);
    width = (size_t)1 << (p[5] & 3);
    for (size_t i = 0; i < width; i++)
        n |= (size_t)p[head + i] << (8 * i);
    n += head + width;
    return n + 4 <= ours.size - at && word_at(p + n, 4, 0) == lookup3(p, n) ? n
                                                                            : 0;
}

static void load(const char *path)
{
    FILE *f = fopen(path, "re");
    struct stat st;

    if (!f || fstat(fileno(f), &st) || st.st_size < OSW_FOOTER_BYTES)
        abort();
    ours.size = (size_t)st.st_size - OSW_FOOTER_BYTES;
    ours.bytes = malloc(ours.size);
    if (!ours.bytes || fread(ours.bytes, ours.size, 1, f) != 1)
        abort();
    fclose(f);
    for (size_t at = 0; at + 4 < ours.size; at++) {
        size_t n = header_bytes(at);

        if (n && ours.n_headers < MAX_HEADERS) {
            ours.headers[ours.n_headers].at = at;
            ours.headers[ours.n_headers++].n = n;
        }
    }
    if (!ours.n_headers)
        abort(); /* then nothing below would be forged */
}

static void make_ours(void)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct folder folder;

    if (ours.bytes)
        return;
    if (folder_make(&folder) || fixture_file(folder.path, &err))
        abort();
    load(folder.path);
    (void)!folder_remove(&folder);
}

/* --- forging --- */

/* Of places that libhdf5 steers by, the offset-th from one of them. */
static size_t place(unsigned char what, uint32_t offset)
{
    static const char *const signatures[] = {"GCOL", "TREE", "OCHK",
                                             "BTHD", "BTLF", "FRHP"};
    size_t near = offset >> 9, at;

    if (what % 8 == 0)
        return offset % ours.size;
    if (what % 8 >= 6)
        return ours.headers[near % ours.n_headers].at + offset % 512;
    at = near * 64 % ours.size;
    for (size_t i = 0; i + 4 < ours.size; i++, at = (at + 1) % ours.size)
        if (at + 4 < ours.size &&
            memcmp(ours.bytes + at, signatures[what % 6], 4) == 0)
            return at + 4 + offset % 512;
    return offset % ours.size;
}

static void edit(unsigned char *file, const uint8_t *e)
{
    size_t at = place(e[1], word_at(e, EDIT_BYTES, 2));

    for (size_t i = 0; i <= e[0] % 8u; i++)
        if (at + i < ours.size)
            file[at + i] = e[6 + i];
}

static int write_forged(int fd, const uint8_t *data, size_t size)
{
    unsigned char *file = malloc(ours.size);
    int rc = -1;

    if (!file)
        return -1;
    memcpy(file, ours.bytes, ours.size);
    for (; size >= EDIT_BYTES; size -= EDIT_BYTES, data += EDIT_BYTES)
        edit(file, data);
    for (size_t i = 0; i < ours.n_headers; i++) {
        unsigned char *p = file + ours.headers[i].at;
        uint32_t sum = lookup3(p, ours.headers[i].n);

        for (size_t k = 0; k < 4; k++)
            p[ours.headers[i].n + k] = (unsigned char)(sum >> (8 * k));
    }
    if (write(fd, file, ours.size) == (ssize_t)ours.size &&
        osw_footer_append(fd) == 0)
        rc = 0;
    free(file);
    return rc;
}

/* --- in the guarded child --- */

static struct {
    uint64_t inputs, refused, crashed, timed_out;
} count;

static void say_counts(void)
{
    fprintf(stderr,
            "forged: %llu inputs, %llu refused, %llu crashes and %llu loops "
            "contained\n",
            (unsigned long long)count.inputs, (unsigned long long)count.refused,
            (unsigned long long)count.crashed,
            (unsigned long long)count.timed_out);
}

static void no_words(void)
{
}

/* In the child neither libFuzzer nor ASan may report a find. */
static int read_forged(void *arg, struct osw_error *err)
{
    static const int caught[] = {SIGSEGV, SIGBUS, SIGABRT,
                                 SIGILL,  SIGFPE, SIGXCPU};
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

    for (size_t i = 0; i < sizeof(caught) / sizeof(caught[0]); i++)
        signal(caught[i], SIG_DFL);
    if (__sanitizer_set_death_callback)
        __sanitizer_set_death_callback(no_words);
    if (null >= 0)
        dup2(null, STDERR_FILENO);
    return open_and_read(arg, err);
}

static void guarded(char *path)
{
    struct osw_error err = OSW_ERROR_INIT;
    int rc = osw_guard_call(read_forged, path, &err);

    if (count.inputs++ == 0)
        atexit(say_counts);
    if (rc == 0)
        return;
    count.refused++;
    count.timed_out += strstr(err.text, "processor time") != NULL;
    count.crashed += strstr(err.text, "forged") != NULL &&
                     !strstr(err.text, "processor time");
    if ((err.status != OSW_BAD_INPUT && err.status != OSW_NO_MEMORY) ||
        !strstr(err.text, path)) {
        fprintf(stderr, "past the guard: %s\n", err.text);
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct osw_error err = OSW_ERROR_INIT;
    char path[] = "/dev/shm/opsweep-fuzz.XXXXXX";
    bool forged = size > 0 && data[0] % 2;
    int fd;

    if (forged)
        make_ours();
    fd = size < 1 ? -1 : mkstemp(path);
    if (fd < 0)
        return 0;
    if (forged && write_forged(fd, data + 1, size - 1) == 0)
        guarded(path);
    else if (!forged && write(fd, data + 1, size - 1) == (ssize_t)(size - 1))
        (void)!open_and_read(path, &err);
    close(fd);
    (void)unlink(path);
    return 0;
}
