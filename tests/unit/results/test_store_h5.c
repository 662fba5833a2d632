/* tests/unit/results/test_store_h5.c - columns into HDF5, and failures */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "results/file/store.h"
#include "results/file/texts_h5.h"
#include "tests/unit/results/fixture.h"

static int set_up(void **state)
{
    static struct folder f;

    *state = &f;
    return folder_make(&f);
}

static int tear_down(void **state)
{
    return folder_remove(*state);
}

static const struct osw_store_column column = {
    .name = "x", .type = OSW_STORE_F64, .units = "ns", .text = "a column"};

/* A file with everything the interface can write. */
static int write_all(const char *path, struct osw_error *err)
{
    static const char *const texts[] = {"a", "", "\xc3\xbc"};
    static const double values[] = {1.5, -2, 1e300};
    static const int32_t version[] = {1, 0};
    osw_store_t *s = osw_store_create(path, err);

    if (!s)
        return -1;
    osw_store_attr_text(s, "/", "title", "t\xc3\xa4");
    osw_store_attr(s, "/", "version", OSW_STORE_I32, version, 2);
    osw_store_group(s, "/g");
    osw_store_text(s, "/g/long", "some text");
    osw_store_texts(s, "/g", "words", "words", texts, 3);
    osw_store_table(s, "/t", 3);
    osw_store_values(s, "/t", &column, 3, values);
    osw_store_texts(s, "/t", "w", NULL, texts, 3);
    osw_store_table(s, "/none", 0);
    osw_store_values(s, "/none", &column, 0, values);
    return osw_store_finish(s, err);
}

/* What h5py says of the file, asked once for all conditions, which end with
 * NULL; skipped where there is none.
 */
static void expect_python(const char *path, const char *const *conditions)
{
    static const char program[] = "import sys, h5py, numpy\n"
                                  "f = h5py.File(sys.argv[1], \"r\")\n"
                                  "for condition in sys.argv[2:]:\n"
                                  "    assert eval(condition), condition";
    char command[2000];
    size_t used;

    if (system("/usr/bin/python3 -c 'import h5py' 2>/dev/null"))
        skip();
    used = (size_t)snprintf(command, sizeof(command),
                            "/usr/bin/python3 -c '%s' '%s'", program, path);
    for (; *conditions; conditions++) {
        used += (size_t)snprintf(command + used, sizeof(command) - used,
                                 " '%s'", *conditions);
        assert_true(used < sizeof(command));
    }
    assert_int_equal(system(command), 0);
}

static void python_sees_what_was_written(void **state)
{
    static const char *const conditions[] = {
        "f.attrs[\"title\"] == \"t\\u00e4\"",
        "list(f.attrs[\"version\"]) == [1, 0]",
        "f[\"g/long\"].asstr()[()] == \"some text\"",
        "list(f[\"g/words\"].asstr()[:]) == [\"a\", \"\", \"\\u00fc\"]",
        "list(f[\"t/x\"][:]) == [1.5, -2, 1e300]",
        "f[\"t/x\"].dtype == numpy.dtype(\"<f8\")",
        "f[\"t/x\"].attrs[\"units\"] == \"ns\"",
        "f[\"t/x\"].dims[0][0].name == \"/t/row\"",
        "f[\"t/x\"].compression == \"gzip\" and f[\"t/x\"].shuffle",
        "len(f[\"none/x\"]) == 0",
        NULL,
    };
    const struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;

    if (write_all(f->path, &err))
        fail_msg("%s", err.text);
    expect_python(f->path, conditions);
}

/* Values whose bytes are noise, counters and constants, over several chunks
 * with a short one at the end: what deflate and storing make of them must be
 * what inflate undoes.
 */
static void every_kind_of_bytes_comes_back(void **state)
{
    enum { N = 3 * 16384 + 100 };
    const struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_store_column c = column;
    uint64_t *values = malloc(N * sizeof(*values));
    osw_store_t *s = osw_store_create(f->path, &err);
    uint64_t x = 1, sum = 0;
    char condition[200];

    assert_non_null(s);
    for (uint64_t i = 0; i < N; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        values[i] = (x >> 33 & 0xffff) << 40 | (x >> 50 & 3) << 32 | i;
        sum += values[i];
    }
    osw_store_table(s, "/t", N);
    c.type = OSW_STORE_U64;
    osw_store_values(s, "/t", &c, N, values);
    assert_int_equal(osw_store_finish(s, &err), 0);
    snprintf(condition, sizeof(condition),
             "int(f[\"t/x\"][:].sum()) == %llu and (f[\"t/x\"][:] %% 2**32 == "
             "range(%d)).all()",
             (unsigned long long)sum, N);
    free(values);
    expect_python(f->path, (const char *const[]){condition, NULL});
}

static void the_same_calls_give_the_same_bytes(void **state)
{
    const struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    char other[600], command[1500];

    snprintf(other, sizeof(other), "%s/other.h5", f->dir);
    assert_int_equal(write_all(f->path, &err), 0);
    assert_int_equal(write_all(other, &err), 0);
    snprintf(command, sizeof(command), "cmp '%s' '%s'", f->path, other);
    assert_int_equal(system(command), 0);
}

/* Whatever write fails, it is told, and the library lets go of the file: the
 * next attempt in the same process works.
 */
static void a_failed_write_is_told_and_forgotten(void **state)
{
    const struct folder *f = *state;
    struct rlimit old, small;
    struct stat st;
    struct osw_error err = OSW_ERROR_INIT;

    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(write_all(f->path, &err), 0);
    assert_int_equal(stat(f->path, &st), 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    for (off_t bytes = 0; bytes < st.st_size; bytes += 509) {
        int rc;

        err = (struct osw_error)OSW_ERROR_INIT;
        small = old;
        small.rlim_cur = (rlim_t)bytes;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        rc = write_all(f->path, &err);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
        assert_int_equal(rc, -1);
        assert_int_equal(err.status, OSW_SYSTEM);
        assert_non_null(strstr(err.text, "run.h5': File too large"));
    }
    err = (struct osw_error)OSW_ERROR_INIT;
    assert_int_equal(write_all(f->path, &err), 0);
}

static void what_cannot_be_made_is_told_at_the_end(void **state)
{
    const struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    osw_store_t *s = osw_store_create(f->path, &err);

    assert_non_null(s);
    osw_store_group(s, "/no/parent");
    osw_store_text(s, "/a", "after a failure nothing happens");
    assert_int_equal(osw_store_finish(s, &err), -1);
    assert_int_equal(err.status, OSW_SYSTEM);
    assert_non_null(strstr(err.text, "cannot make group '/no/parent'"));

    err = (struct osw_error)OSW_ERROR_INIT;
    s = osw_store_create(f->path, &err);
    assert_non_null(s);
    osw_store_no_memory(s);
    assert_int_equal(osw_store_finish(s, &err), -1);
    assert_int_equal(err.status, OSW_NO_MEMORY);
}

static void a_file_that_cannot_be_made_is_told_at_once(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;

    (void)state;
    assert_null(osw_store_create("/nowhere/at/all.h5", &err));
    assert_int_equal(err.status, OSW_SYSTEM);
    assert_string_equal(err.text, "cannot write '/nowhere/at/all.h5': No such "
                                  "file or directory");
}

/* --- texts --- */

static void a_transfer_clears_less_than_a_tenth_of_1_mib(void **state)
{
    hid_t transfer = osw_texts_transfer();
    size_t bytes;

    (void)state;
    assert_true(transfer >= 0);
    bytes = H5Pget_buffer(transfer, NULL, NULL);
    assert_in_range(bytes, 1, (1 << 20) / 10);
    H5Pclose(transfer);
}

enum { N = 10000 }; /* more than a buffer holds */

static void more_texts_than_a_buffer_holds_come_back(void **state)
{
    static char made[N][16];
    static char *in[N], *out[N];
    hsize_t n = N;
    hid_t type = osw_texts_type(), transfer = osw_texts_transfer();
    hid_t memory = H5Pcreate(H5P_FILE_ACCESS);
    hid_t space = H5Screate_simple(1, &n, NULL), file, dataset;

    (void)state;
    for (size_t i = 0; i < N; i++) {
        snprintf(made[i], sizeof(made[i]), "text %zu", i);
        in[i] = made[i];
    }
    assert_true(H5Pset_fapl_core(memory, 1 << 16, 0) >= 0);
    file = H5Fcreate("texts", H5F_ACC_TRUNC, H5P_DEFAULT, memory);
    dataset = H5Dcreate2(file, "texts", type, space, H5P_DEFAULT, H5P_DEFAULT,
                         H5P_DEFAULT);
    assert_true(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, transfer, in) >= 0);
    assert_true(H5Dread(dataset, type, H5S_ALL, H5S_ALL, transfer, out) >= 0);
    for (size_t i = 0; i < N; i++) {
        assert_string_equal(out[i], made[i]);
        H5free_memory(out[i]);
    }
    H5Dclose(dataset);
    H5Fclose(file);
    H5Sclose(space);
    H5Pclose(memory);
    H5Pclose(transfer);
    H5Tclose(type);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(python_sees_what_was_written),
        T(every_kind_of_bytes_comes_back),
        T(the_same_calls_give_the_same_bytes),
        T(a_failed_write_is_told_and_forgotten),
        T(what_cannot_be_made_is_told_at_the_end),
        T(a_file_that_cannot_be_made_is_told_at_once),
        T(a_transfer_clears_less_than_a_tenth_of_1_mib),
        T(more_texts_than_a_buffer_holds_come_back),
    };
#undef T

    return cmocka_run_group_tests_name("results/store_h5", tests, NULL, NULL);
}
