/* tests/unit/mpi_runner/test_dump.c - the tensors of one cell, as a folder */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/json.h"
#include "mpi_runner/diagnose/dump.h"
#include "ops/record/state.h"
#include "tests/unit/chaos.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

struct fixture {
    char root[64], dir[96], path[256];
    struct osw_record record;
    struct osw_dump_about about;
    struct osw_error err;
    unsigned char bytes[4096];
    size_t n;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    assert_non_null(f);
    strcpy(f->root, "/tmp/osw-dump-XXXXXX");
    assert_non_null(mkdtemp(f->root));
    snprintf(f->dir, sizeof(f->dir), "%s/cell", f->root);
    osw_record_init(&f->record);
    f->record.status_id = OSW_STATE_VALUE;
    f->record.phase_id = OSW_PHASE_VERIFY;
    f->record.reason = "2 of 6 are \"wrong\"";
    f->record.first_bad = 4;
    f->record.bad_output = 0;
    f->about = (struct osw_dump_about){
        .op = "aten.mm.default",
        .impl = "blocked",
        .case_text = "((1,), {})",
        .fill = "normal",
        .device = "cpu",
        .command = "opsweep run",
        .seed = 7,
        .record = &f->record,
    };
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    char command[128];

    snprintf(command, sizeof(command), "/bin/rm -rf '%s'", f->root);
    assert_int_equal(system(command), 0);
    free(f);
    return 0;
}

/* --- what a cell has --- */

static const int64_t shape[] = {2, 3}, rows[] = {3, 1}, columns[] = {1, 2},
                     apart[] = {4, 1};

static const struct osw_tensor_desc transposed = {.dtype = OSW_BF16,
                                                  .ndim = 2,
                                                  .strided = true,
                                                  .shape = shape,
                                                  .strides = columns};
static const struct osw_tensor_desc gapped = {.dtype = OSW_F32,
                                              .ndim = 2,
                                              .strided = true,
                                              .shape = shape,
                                              .strides = apart};
static const struct osw_tensor_desc plain = {
    .dtype = OSW_F32, .ndim = 2, .shape = shape, .strides = rows};
static const struct osw_tensor_desc scalar = {.dtype = OSW_B8};

static uint16_t bits[] = {0x3f80, 0x4080, 0x4000, 0x40a0, 0x4040, 0x40c0};
static float spread[] = {1, 2, 3, -1, 4, 5, 6};
static unsigned char truth[] = {1};
static const double exact[] = {1, 2, 3, 4, 5, 6}, norm[] = {9, 8, 7, 6, 5, 4};

static void capture(osw_dump_t *dump)
{
    const struct osw_capture_input inputs[] = {
        {"self", 0, 1, {bits, &transposed}}, {"mask", 0, 2, {truth, &scalar}},
        {"mask", 1, 2, {truth, &scalar}},    {"mask_1", 0, 1, {truth, &scalar}},
        {"we/ird", 0, 1, {truth, &scalar}},
    };
    const struct osw_capture_output outputs[] = {
        {.want = {NULL, &plain},
         .exact = exact,
         .norm = norm,
         .got = {spread, &gapped},
         .rtol = 0.5,
         .atol = 0.25,
         .ntol = NAN},
        {.want = {truth, &scalar}, .to_the_bit = true, .rtol = 1, .atol = 1},
    };
    const struct osw_capture c = {
        .impl = "blocked",
        .n_inputs = N_ELEM(inputs),
        .n_outputs = N_ELEM(outputs),
        .inputs = inputs,
        .outputs = outputs,
    };

    osw_dump_capture(dump, &c);
}

/* --- what came of it --- */

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

/* Entries of the root beside the folder itself. */
static int n_left(const struct fixture *f)
{
    DIR *dir = opendir(f->root);
    struct dirent *e;
    int n = 0;

    assert_non_null(dir);
    while ((e = readdir(dir)))
        n += e->d_name[0] != '.' && strcmp(e->d_name, "cell") != 0;
    closedir(dir);
    return n;
}

static const char *name_of(struct fixture *f, const char *name)
{
    snprintf(f->path, sizeof(f->path), "%s/%s", f->dir, name);
    return f->path;
}

/* The elements of an array, after its head. */
static void read_array(struct fixture *f, const char *name, const char *descr,
                       size_t n)
{
    FILE *in = fopen(name_of(f, name), "r");
    char want[64];
    size_t head;

    assert_non_null(in);
    f->n = fread(f->bytes, 1, sizeof(f->bytes), in);
    fclose(in);
    head = 10 + f->bytes[8] + 256u * f->bytes[9];
    snprintf(want, sizeof(want), "{'descr': '%s',", descr);
    assert_memory_equal(f->bytes + 10, want, strlen(want));
    assert_int_equal(f->n - head, n);
    memmove(f->bytes, f->bytes + head, n);
}

static void arrays_hold_the_logical_contents(void **state)
{
    static const float got[] = {1, 2, 3, 4, 5, 6};
    static const uint16_t upper[] = {0x3f80, 0x4000, 0x4040,
                                     0x4080, 0x40a0, 0x40c0};
    struct fixture *f = *state;
    osw_dump_t *dump = osw_dump_create(f->dir, &f->err);

    assert_non_null(dump);
    capture(dump);
    assert_false(is_there(f->dir));
    assert_int_equal(osw_dump_finish(dump, &f->about, &f->err), 0);
    osw_dump_destroy(dump);
    assert_int_equal(n_left(f), 0);

    read_array(f, "input_self.npy", "<u2", sizeof(upper));
    assert_memory_equal(f->bytes, upper, sizeof(upper));
    read_array(f, "input_self_f32.npy", "<f4", sizeof(got));
    assert_memory_equal(f->bytes, got, sizeof(got));
    read_array(f, "got_0.npy", "<f4", sizeof(got));
    assert_memory_equal(f->bytes, got, sizeof(got));
    read_array(f, "expected_0.npy", "<f8", sizeof(exact));
    assert_memory_equal(f->bytes, exact, sizeof(exact));
    read_array(f, "norm_0.npy", "<f8", sizeof(norm));
    assert_memory_equal(f->bytes, norm, sizeof(norm));
    read_array(f, "expected_1.npy", "|b1", 1);
    read_array(f, "input_mask_0.npy", "|b1", 1);
    read_array(f, "input_mask_1.npy", "|b1", 1);
    read_array(f, "input_mask_1-4.npy", "|b1", 1); /* of the same name */
    read_array(f, "input_we_ird.npy", "|b1", 1);
    assert_false(is_there(name_of(f, "got_1.npy")));
}

static void cell_json_says_what_is_what(void **state)
{
    struct fixture *f = *state;
    osw_dump_t *dump = osw_dump_create(f->dir, &f->err);
    const osw_json_t *bad, *place, *tensors, *tolerance;
    const char *text = NULL;
    osw_json_t *json;
    int64_t number = -1;

    assert_non_null(dump);
    capture(dump);
    assert_int_equal(osw_dump_finish(dump, &f->about, &f->err), 0);
    osw_dump_destroy(dump);
    json = osw_json_load_file(name_of(f, "cell.json"), &f->err);
    assert_non_null(json);
    assert_int_equal(osw_json_str(osw_json_get(json, "reason"), &text, NULL),
                     0);
    assert_string_equal(text, f->record.reason);
    bad = osw_json_get(json, "first_bad");
    place = osw_json_get(bad, "place"); /* 4 of [2, 3]: row 1, column 1 */
    assert_int_equal(osw_json_size(place), 2);
    assert_int_equal(osw_json_i64(osw_json_at(place, 0), &number, NULL), 0);
    assert_int_equal(number, 1);
    assert_int_equal(osw_json_i64(osw_json_at(place, 1), &number, NULL), 0);
    assert_int_equal(number, 1);
    tensors = osw_json_get(json, "tensors");
    assert_int_equal(osw_json_size(tensors), 10);
    for (size_t i = 0; i < osw_json_size(tensors); i++) {
        const osw_json_t *file = osw_json_get(osw_json_at(tensors, i), "file");

        assert_int_equal(osw_json_str(file, &text, NULL), 0);
        assert_true(is_there(name_of(f, text)));
    }
    tolerance = osw_json_get(osw_json_at(tensors, 9), "tolerance");
    assert_int_equal(osw_json_kind(tolerance), OSW_JSON_OBJECT);
    osw_json_free(json);
}

static void the_last_capture_counts(void **state)
{
    struct fixture *f = *state;
    const struct osw_capture empty = {.impl = "blocked"};
    osw_dump_t *dump = osw_dump_create(f->dir, &f->err);

    assert_non_null(dump);
    capture(dump);
    osw_dump_capture(dump, &empty);
    assert_int_equal(osw_dump_finish(dump, &f->about, &f->err), 0);
    osw_dump_destroy(dump);
    assert_true(is_there(name_of(f, "cell.json")));
    assert_false(is_there(name_of(f, "got_0.npy")));
}

static void an_empty_folder_is_taken(void **state)
{
    struct fixture *f = *state;
    char slashed[128];
    osw_dump_t *dump;

    assert_int_equal(mkdir(f->dir, 0777), 0);
    snprintf(slashed, sizeof(slashed), "%s//", f->dir);
    dump = osw_dump_create(slashed, &f->err);
    assert_non_null(dump);
    capture(dump);
    assert_int_equal(osw_dump_finish(dump, &f->about, &f->err), 0);
    osw_dump_destroy(dump);
    assert_true(is_there(name_of(f, "cell.json")));
    assert_int_equal(n_left(f), 0);

    assert_null(osw_dump_create(f->dir, &f->err));
    assert_int_equal(f->err.status, OSW_BAD_INPUT);
    assert_non_null(strstr(f->err.text, "is not empty"));
}

static void what_is_no_folder_is_refused(void **state)
{
    struct fixture *f = *state;
    static const char *const names[] = {"", "/dev/null", "/dev/null/x"};
    osw_dump_t *dump;

    for (size_t i = 0; i < N_ELEM(names); i++) {
        f->err = (struct osw_error)OSW_ERROR_INIT;
        assert_null(osw_dump_create(names[i], &f->err));
        assert_int_equal(f->err.status, OSW_BAD_INPUT);
        assert_non_null(strstr(f->err.text, "folder"));
    }
    f->err = (struct osw_error)OSW_ERROR_INIT;
    snprintf(f->path, sizeof(f->path), "%s/none/cell", f->root);
    dump = osw_dump_create(f->path, &f->err);
    assert_non_null(dump);
    capture(dump);
    assert_int_equal(osw_dump_finish(dump, &f->about, &f->err), -1);
    assert_non_null(strstr(f->err.text, "none/cell': No such file"));
    osw_dump_destroy(dump);
}

static void nothing_half_done_is_left(void **state)
{
    struct fixture *f = *state;
    const struct osw_capture failed = {.failed = "no memory for copies"};
    osw_dump_t *dump = osw_dump_create(f->dir, &f->err);

    /* Given up. */
    assert_non_null(dump);
    capture(dump);
    assert_int_equal(n_left(f), 1);
    osw_dump_destroy(dump);
    assert_int_equal(n_left(f), 0);

    /* Nothing came. */
    dump = osw_dump_create(f->dir, &f->err);
    assert_non_null(dump);
    assert_int_equal(osw_dump_finish(dump, &f->about, &f->err), -1);
    assert_int_equal(f->err.status, OSW_NOTHING);
    assert_non_null(strstr(f->err.text, "nothing to dump: value: 2 of 6"));
    osw_dump_destroy(dump);

    /* It came, and could not be brought. */
    f->err = (struct osw_error)OSW_ERROR_INIT;
    dump = osw_dump_create(f->dir, &f->err);
    assert_non_null(dump);
    osw_dump_capture(dump, &failed);
    assert_int_equal(osw_dump_finish(dump, &f->about, &f->err), -1);
    assert_string_equal(f->err.text, "no memory for copies");
    osw_dump_destroy(dump);

    /* Another process filled the folder meanwhile. */
    f->err = (struct osw_error)OSW_ERROR_INIT;
    dump = osw_dump_create(f->dir, &f->err);
    assert_non_null(dump);
    capture(dump);
    assert_int_equal(mkdir(f->dir, 0777), 0);
    assert_int_equal(mkdir(name_of(f, "theirs"), 0777), 0);
    assert_int_equal(osw_dump_finish(dump, &f->about, &f->err), -1);
    assert_int_equal(f->err.status, OSW_BAD_INPUT);
    osw_dump_destroy(dump);
    assert_int_equal(n_left(f), 0);
    assert_false(is_there(name_of(f, "cell.json")));
}

static void every_allocation_failure_is_reported(void **state)
{
    struct fixture *f = *state;
    bool struck = true;

    for (int n = 0; struck; n++) {
        osw_dump_t *dump;
        int rc = -1;

        f->err = (struct osw_error)OSW_ERROR_INIT;
        chaos_arm(n);
        dump = osw_dump_create(f->dir, &f->err);
        if (dump) {
            capture(dump);
            rc = osw_dump_finish(dump, &f->about, &f->err);
        }
        osw_dump_destroy(dump);
        struck = chaos_struck();
        assert_int_equal(rc, struck ? -1 : 0);
        assert_int_equal(f->err.status, struck ? OSW_NO_MEMORY : OSW_OK);
        assert_int_equal(n_left(f), 0);
        assert_int_equal(is_there(f->dir), !struck);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
        T(arrays_hold_the_logical_contents),
        T(cell_json_says_what_is_what),
        T(the_last_capture_counts),
        T(an_empty_folder_is_taken),
        T(what_is_no_folder_is_refused),
        T(nothing_half_done_is_left),
        T(every_allocation_failure_is_reported),
#undef T
    };

    return cmocka_run_group_tests_name("mpi_runner/dump", tests, NULL, NULL);
}
