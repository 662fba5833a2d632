/* tests/fuzz/fuzz_file.c - a result file from a stranger
 *
 * With OPSWEEP_FUZZ_FORGED set and an odd first byte a footer is put behind the
 * rest, as a stranger would who knows how: then HDF5 itself reads what was
 * changed.  libhdf5 1.10.8 does not survive that for long (H5HG_read copies
 * beyond its heap): docs/SECURITY.md says what follows.  Without it the
 * checksum has to refuse everything but whole files.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "results/compare.h"
#include "results/file.h"
#include "results/footer.h"
#include "results/history.h"
#include "results/report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
    follow(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct osw_error err = OSW_ERROR_INIT;
    char path[] = "/dev/shm/opsweep-fuzz.XXXXXX";
    int fd = size < 1 ? -1 : mkstemp(path);
    osw_file_t *file;

    if (fd < 0)
        return 0;
    if (write(fd, data + 1, size - 1) == (ssize_t)(size - 1) &&
        (!getenv("OPSWEEP_FUZZ_FORGED") || data[0] % 2 == 0 ||
         osw_footer_append(fd) == 0)) {
        file = osw_file_open(path, &err);
        if (file)
            read_all(file);
        osw_file_close(file);
    }
    close(fd);
    (void)unlink(path);
    return 0;
}
