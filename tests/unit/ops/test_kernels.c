/* tests/unit/ops/test_kernels.c - folders of kernels, by operator */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ops/catalog/kernels.h"
#include "tests/unit/chaos.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

struct fixture {
    osw_arena_t *arena;
    char root[64];
    struct osw_kernels k;
    struct osw_error err;
};

static int set_up(void **state)
{
    static struct fixture f;

    memset(&f, 0, sizeof(f));
    strcpy(f.root, "/tmp/opsweep-kernels-XXXXXX");
    f.arena = osw_arena_create();
    assert_non_null(f.arena);
    assert_non_null(mkdtemp(f.root));
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    char command[128];

    snprintf(command, sizeof(command), "rm -rf '%s'", f->root);
    assert_int_equal(system(command), 0);
    osw_arena_destroy(f->arena);
    return 0;
}

/* A file under the root, with the folders that it needs; "x/": a folder. */
static void put(struct fixture *f, const char *path)
{
    char full[256];
    FILE *file;

    snprintf(full, sizeof(full), "%s/%s", f->root, path);
    for (char *at = full + strlen(f->root) + 1; (at = strchr(at, '/')); at++) {
        *at = '\0';
        (void)mkdir(full, 0755);
        *at = '/';
    }
    if (full[strlen(full) - 1] == '/')
        return;
    file = fopen(full, "w");
    assert_non_null(file);
    fclose(file);
}

static void scan(struct fixture *f)
{
    if (osw_kernels_scan(f->arena, f->root, &f->k, &f->err) < 0)
        fail_msg("%s", f->err.text);
}

/* The path below the root, of the op's kernels in order, by blanks. */
static const char *found(struct fixture *f, const char *op)
{
    const struct osw_op sought = {.name = op, .folder = ""};
    const struct osw_op_file *files;
    static char all[1024];
    size_t n;

    assert_int_equal(
        osw_kernels_of(f->arena, &f->k, &sought, &files, &n, &f->err), 0);
    all[0] = '\0';
    for (size_t i = 0; i < n; i++) {
        assert_memory_equal(files[i].path, f->root, strlen(f->root));
        sprintf(all + strlen(all), "%s%s=%s", i ? " " : "", files[i].name,
                files[i].path + strlen(f->root) + 1);
    }
    return all;
}

static const char *note_of(const struct fixture *f, const char *path)
{
    for (size_t i = 0; i < f->k.n_notes; i++)
        if (strcmp(f->k.notes[i].path + strlen(f->root) + 1, path) == 0)
            return f->k.notes[i].text;
    return "";
}

static void every_form_of_a_name_is_read(void **state)
{
    static const struct {
        const char *file, *op, *impl, *symbol;
    } rows[] = {
        /* clang-format off */
        {"add__Tensor/add__Tensor_implementation.py", "aten.add.Tensor", "implementation", "add__Tensor|add|add_Tensor"},
        {"add.Tensor/add__Tensor_implementation.py", "aten.add.Tensor", "implementation", "add__Tensor|add|add_Tensor"},
        {"add.Tensor/add.Tensor_implementation_v2.py", "aten.add.Tensor", "implementation_v2", "add__Tensor|add|add_Tensor"},
        {"add__Tensor/add_implementation.py", "aten.add.Tensor", "implementation", "add__Tensor|add|add_Tensor"},
        {"add___Tensor/add___Tensor_implementation.py", "aten.add_.Tensor", "implementation", "add___Tensor|add_|add__Tensor"},
        {"add/add_implementation.py", "aten.add.Scalar", "implementation", "add"},
        {"relu/relu_attempt_3.py", "aten.relu.default", "attempt_3", "relu"},
        {"relu__default/relu__default_implementation.py", "aten.relu.default", "implementation", "relu__default|relu|relu_default"},
        {"relu/relu.py", "aten.relu.default", "manual", "relu"},
        {"relu/relu_kernel.py", "aten.relu.default", "kernel", "relu"},
        {"aten.relu.default/relu_implementation.py", "aten.relu.default", "implementation", "relu__default|relu|relu_default"},
        {"_log_softmax_backward_data/_log_softmax_backward_data_implementation.py", "aten._log_softmax_backward_data.default", "implementation", "_log_softmax_backward_data"},
        {"evaluation_only/relu/relu.py", "aten.relu.default", "manual", "relu"},
        {"run_1/relu/relu_attempt_1.py", "aten.relu.default", "attempt_1", "relu"},
        {"scale/scale_implementation.py", "scale.default", "implementation", "scale"},
        /* clang-format on */
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < N_ELEM(rows); i++) {
        char want[256];

        assert_int_equal(tear_down(state), 0);
        assert_int_equal(set_up(state), 0);
        put(f, rows[i].file);
        scan(f);
        snprintf(want, sizeof(want), "%s=%s", rows[i].impl, rows[i].file);
        assert_string_equal(found(f, rows[i].op), want);
        assert_string_equal(f->k.at[0].file.symbol, rows[i].symbol);
        assert_int_equal(f->k.n_notes, 0);
    }
}

static void a_bare_name_is_of_every_overload_that_has_no_folder(void **state)
{
    struct fixture *f = *state;

    put(f, "add/add_implementation.py");
    put(f, "add__Tensor/add__Tensor_implementation.py");
    scan(f);
    assert_string_equal(
        found(f, "aten.add.Tensor"),
        "implementation=add__Tensor/add__Tensor_implementation.py");
    assert_string_equal(found(f, "aten.add.Scalar"),
                        "implementation=add/add_implementation.py");
    assert_string_equal(found(f, "aten.add.out"), "");
    assert_string_equal(found(f, "aten.add_.Tensor"), "");
    assert_string_equal(found(f, "aten.addmm.default"), "");
    assert_string_equal(found(f, "my.add.default"), "");
}

static void the_highest_attempt_of_the_last_run_is_taken_and_said(void **state)
{
    struct fixture *f = *state;

    put(f, "run_20240101_000000/relu/relu_attempt_99.py");
    put(f, "run_20250101_000000/relu/relu_attempt_2.py");
    put(f, "run_20250101_000000/relu/relu_attempt_10.py");
    put(f, "run_20250101_000000/relu/relu_attempt_9.py");
    put(f, "run_20250101_000000/relu/metadata.txt");
    put(f, "run_20250101_000000/README.md");
    put(f, "run_20240101_000000/neg/neg_attempt_1.py");
    put(f, "evaluation_only/relu/relu.py");
    scan(f);
    assert_string_equal(
        found(f, "aten.relu.default"),
        "manual=evaluation_only/relu/relu.py "
        "attempt_10=run_20250101_000000/relu/relu_attempt_10.py");
    assert_string_equal(found(f, "aten.neg.default"),
                        "attempt_1=run_20240101_000000/neg/neg_attempt_1.py");
    assert_int_equal(f->k.n_notes, 2);
    assert_string_equal(
        note_of(f, "run_20250101_000000/relu/relu_attempt_10.py"),
        "taken: the highest of 3 attempts");
    assert_non_null(strstr(note_of(f, "run_20240101_000000/relu"),
                           "run_20250101_000000/relu/relu_attempt_10.py' of "
                           "another run is taken for this op"));
}

static void runs_of_any_name_come_after_the_others(void **state)
{
    struct fixture *f = *state;

    put(f, "run_20240101_000000/relu/relu_attempt_1.py");
    put(f, "my-experiment_v2/relu/relu_attempt_1.py");
    put(f, "my-experiment_v2/neg/neg_attempt_1.py");
    put(f, "my-experiment_v2/README.md");
    put(f, "my-experiment_v1/neg/neg_attempt_4.py");
    put(f, "my-experiment_v1/abs/abs.py");
    put(f, "sin/sin_implementation.py");
    put(f, "sin/older/sin_implementation.py");
    put(f, "cos/notes/what.txt");
    scan(f);
    assert_string_equal(found(f, "aten.relu.default"),
                        "attempt_1=run_20240101_000000/relu/relu_attempt_1.py");
    assert_string_equal(found(f, "aten.neg.default"),
                        "attempt_1=my-experiment_v2/neg/neg_attempt_1.py");
    assert_string_equal(found(f, "aten.abs.default"),
                        "manual=my-experiment_v1/abs/abs.py");
    assert_string_equal(found(f, "aten.sin.default"),
                        "implementation=sin/sin_implementation.py");
    assert_int_equal(f->k.n_notes, 3);
    assert_non_null(strstr(note_of(f, "my-experiment_v2/relu"),
                           "run_20240101_000000/relu/relu_attempt_1.py' of "
                           "another run"));
    assert_non_null(strstr(note_of(f, "my-experiment_v1/neg"),
                           "my-experiment_v2/neg/neg_attempt_1.py' of "
                           "another run"));
    assert_non_null(strstr(note_of(f, "cos"), "no kernel: expected cos_"));
}

static void all_implementations_count_but_one_of_a_name(void **state)
{
    struct fixture *f = *state;
    char want[256];

    put(f, "add__Tensor/add__Tensor_implementation_v2.py");
    put(f, "add__Tensor/add__Tensor_implementation_v1.py");
    put(f, "add.Tensor/add__Tensor_implementation_v1.py");
    scan(f);
    assert_string_equal(
        found(f, "aten.add.Tensor"),
        "implementation_v1=add.Tensor/add__Tensor_implementation_v1.py "
        "implementation_v2=add__Tensor/add__Tensor_implementation_v2.py");
    snprintf(want, sizeof(want),
             "passed over: '%s/add.Tensor/add__Tensor_implementation_v1.py' is "
             "the same implementation of the same op",
             f->root);
    assert_int_equal(f->k.n_notes, 1);
    assert_string_equal(
        note_of(f, "add__Tensor/add__Tensor_implementation_v1.py"), want);
}

static void what_is_no_kernel_is_said(void **state)
{
    struct fixture *f = *state;

    put(f, "relu/relu_implementation.py");
    put(f, "relu/helpers.py");
    put(f, "relu/relu_attempt_x.py");
    put(f, "relu/notes.md");
    put(f, "relu/__pycache__/");
    put(f, "neg/wrong_implementation.py");
    put(f, "empty/");
    put(f, "no name/");
    put(f, ".hidden/");
    scan(f);
    assert_int_equal(f->k.n, 1);
    assert_int_equal(f->k.n_notes, 6);
    assert_string_equal(note_of(f, "relu/helpers.py"),
                        "not understood: no kernel's name");
    assert_string_equal(note_of(f, "relu/relu_attempt_x.py"),
                        "not understood: no kernel's name");
    assert_string_equal(note_of(f, "no name"), "no operator's name");
    assert_string_equal(note_of(f, "empty"),
                        "no kernel: expected empty_implementation*.py, "
                        "empty_attempt_N.py or empty.py");
    assert_non_null(strstr(note_of(f, "neg"), "no kernel: expected neg_impl"));
}

static void a_root_without_kernels_is_refused(void **state)
{
    struct fixture *f = *state;

    put(f, "relu/notes.md");
    assert_int_equal(osw_kernels_scan(f->arena, f->root, &f->k, &f->err), -1);
    assert_int_equal(f->err.status, OSW_BAD_INPUT);
    assert_non_null(strstr(f->err.text, "no kernel found"));
    f->err = (struct osw_error)OSW_ERROR_INIT;
    strcat(f->root, "/relu/notes.md");
    assert_int_equal(osw_kernels_scan(f->arena, f->root, &f->k, &f->err), -1);
    assert_non_null(strstr(f->err.text, "as a folder of kernels"));
    *strstr(f->root, "/relu/") = '\0';
}

static void every_allocation_failure_is_reported(void **state)
{
    struct fixture *f = *state;
    int failures = 0;

    put(f, "run_1/relu/relu_attempt_1.py");
    put(f, "run_1/relu/relu_attempt_2.py");
    put(f, "mine/relu/relu_attempt_2.py");
    put(f, "add.Tensor/add__Tensor_implementation.py");
    put(f, "add__Tensor/add__Tensor_implementation.py");
    for (bool struck = true; struck; failures++) {
        struct osw_error err = OSW_ERROR_INIT;
        osw_arena_t *arena = osw_arena_create();
        struct osw_kernels made;
        int rc;

        chaos_arm(failures);
        rc = osw_kernels_scan(arena, f->root, &made, &err);
        struck = chaos_struck();
        osw_arena_destroy(arena);
        assert_int_equal(rc, struck ? -1 : 0);
    }
    assert_true(failures >= 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
        T(every_form_of_a_name_is_read),
        T(a_bare_name_is_of_every_overload_that_has_no_folder),
        T(the_highest_attempt_of_the_last_run_is_taken_and_said),
        T(runs_of_any_name_come_after_the_others),
        T(all_implementations_count_but_one_of_a_name),
        T(what_is_no_kernel_is_said),
        T(a_root_without_kernels_is_refused),
        T(every_allocation_failure_is_reported),
#undef T
    };

    return cmocka_run_group_tests_name("ops/kernels", tests, NULL, NULL);
}
