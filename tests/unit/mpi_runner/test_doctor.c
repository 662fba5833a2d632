/* tests/unit/mpi_runner/test_doctor.c - each fault is reported with its cure */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/json.h"
#include "mpi_runner/doctor/doctor.h"
#include "tests/fixtures/nvml/fake_nvml.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

static const struct osw_doctor_check check = {"a check", OSW_MARK_FAIL, false,
                                              NULL};

/* An environment: name, value, ... */
static const char *const nothing[] = {NULL};
static const char *const *now = nothing;

static const char *look_up(const char *name)
{
    for (const char *const *p = now; *p; p += 2)
        if (strcmp(p[0], name) == 0)
            return p[1];
    return NULL;
}

static struct osw_doctor *make(const char *device)
{
    struct osw_doctor *d = calloc(1, sizeof(*d));

    assert_non_null(d);
    d->memory = osw_arena_create();
    assert_non_null(d->memory);
    d->device = device;
    d->folder = ".";
    d->quick = true;
    d->get = look_up;
    return d;
}

static void drop(struct osw_doctor *d)
{
    osw_arena_destroy(d->memory);
    free(d);
}

/* The only finding is that. */
static void assert_found(const struct osw_doctor *d, enum osw_mark mark,
                         const char *text, const char *cure)
{
    assert_int_equal(d->n_found, 1);
    print_message("    %s; cure: %s\n", d->found[0].text, d->found[0].cure);
    assert_int_equal(d->found[0].mark, mark);
    assert_non_null(strstr(d->found[0].text, text));
    assert_non_null(strstr(d->found[0].cure, cure));
}

/* --- GPUs --- */

static struct osw_doctor_gpu sound_gpu(void)
{
    struct osw_doctor_gpu g = {
        .facts = {.name = "Fake",
                  .ecc = 1,
                  .persistence = 1,
                  .pcie_width = 16,
                  .pcie_max_width = 16},
        .index = 3,
        .visible = true,
    };

    osw_nvml_sample(&(struct osw_nvml_gpu){NULL, NULL}, &g.now);
    return g;
}

/* A driver that says nothing is no fault. */
static struct osw_doctor_gpu silent_gpu(void)
{
    struct osw_doctor_gpu g = {
        .facts = {.compute_mode = -1,
                  .persistence = -1,
                  .ecc = -1,
                  .mig = -1,
                  .pcie_width = -1,
                  .pcie_max_width = -1,
                  .remapped_corrected = -1,
                  .remapped_uncorrected = -1,
                  .remap_pending = -1,
                  .remap_failed = -1,
                  .recovery = -1,
                  .n_processes = -1},
    };

    osw_nvml_sample(&(struct osw_nvml_gpu){NULL, NULL}, &g.now);
    return g;
}

static void a_sound_or_silent_gpu_has_no_ills(void **state)
{
    struct osw_doctor_gpu sound = sound_gpu(), silent = silent_gpu();
    struct osw_doctor *d = make("cuda");

    (void)state;
    osw_doctor_judge_gpu(d, &sound);
    osw_doctor_judge_gpu(d, &silent);
    sound.now.reasons = OSW_REASON_SW_POWER_CAP | OSW_REASON_IDLE;
    sound.now.ecc_uncorrected = 0;
    osw_doctor_judge_gpu(d, &sound);
    assert_int_equal(d->n_found, 0);
    drop(d);
}

/* One field of a working GPU is changed. */
#define FACT(field) offsetof(struct osw_doctor_gpu, facts.field)
static const struct {
    const char *what;
    size_t field; /* int32_t */
    int32_t value;
    enum osw_mark mark;
    const char *text, *cure;
} faults[] = {
    /* clang-format off */
    { "exclusive", FACT(compute_mode), OSW_COMPUTE_EXCLUSIVE_PROCESS,
      OSW_MARK_FAIL, "EXCLUSIVE_PROCESS", "nvidia-smi -i 3 -c DEFAULT" },
    { "prohibited", FACT(compute_mode), OSW_COMPUTE_PROHIBITED,
      OSW_MARK_FAIL, "PROHIBITED", "nvidia-smi -i 3 -c DEFAULT" },
    { "remap failed", FACT(remap_failed), 1, OSW_MARK_FAIL,
      "could not be remapped", "replaced" },
    { "remap pending", FACT(remap_pending), 1, OSW_MARK_FAIL,
      "wait to be remapped", "nvidia-smi -i 3 --gpu-reset" },
    { "recovery", FACT(recovery), 2, OSW_MARK_FAIL, "recovery (action 2)",
      "reboot" },
    { "no ECC", FACT(ecc), 0, OSW_MARK_WARN, "ECC is off", "-e 1" },
    { "MIG", FACT(mig), 1, OSW_MARK_NOTE, "MIG is on", "" },
    { "narrow link", FACT(pcie_width), 4, OSW_MARK_WARN, "(x4 of x16)",
      "reseat" },
    { "no persistence", FACT(persistence), 0, OSW_MARK_NOTE,
      "persistence mode is off", "-i 3 -pm 1" },
    /* clang-format on */
};

static void each_ill_of_a_gpu_is_said_with_its_cure(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(faults); i++) {
        struct osw_doctor *d = make("cuda");
        struct osw_doctor_gpu g = sound_gpu();

        print_message("  case: %s\n", faults[i].what);
        memcpy((char *)&g + faults[i].field, &faults[i].value, sizeof(int32_t));
        osw_doctor_judge_gpu(d, &g);
        assert_found(d, faults[i].mark, faults[i].text, faults[i].cure);
        assert_string_equal(d->found[0].name, "gpu 3");
        drop(d);
    }
}

static void what_a_sample_shows_is_an_ill_too(void **state)
{
    struct osw_doctor_gpu g = sound_gpu();
    struct osw_doctor *d = make("cuda");

    (void)state;
    g.now.lost = true;
    osw_doctor_judge_gpu(d, &g);
    assert_found(d, OSW_MARK_FAIL, "does not answer", "reboot");
    drop(d);

    g = sound_gpu();
    g.now.ecc_uncorrected = 12;
    d = make("cuda");
    osw_doctor_judge_gpu(d, &g);
    assert_found(d, OSW_MARK_FAIL, "memory errors", "replace");
    assert_non_null(strstr(d->found[0].text, "(12)"));
    drop(d);

    g = sound_gpu();
    g.now.reasons = OSW_REASON_HW_THERMAL;
    d = make("cuda");
    osw_doctor_judge_gpu(d, &g);
    assert_found(d, OSW_MARK_WARN, "right now: hardware thermal slowdown",
                 "cooling");
    drop(d);
}

static void processes_of_others_are_named(void **state)
{
    struct osw_doctor_gpu g = sound_gpu();
    struct osw_doctor *d = make("cuda");
    char want[64];

    (void)state;
    g.facts.n_processes = 7;
    g.facts.pids[0] = (uint32_t)getpid();
    for (int i = 1; i < 7; i++)
        g.facts.pids[i] = 4000000 + (uint32_t)i;
    osw_doctor_judge_gpu(d, &g);
    snprintf(want, sizeof(want),
             "test_doctor (%d), 4000001, 4000002, 4000003 "
             "and 3 more",
             (int)getpid());
    assert_found(d, OSW_MARK_WARN, want, "end them");
    drop(d);
}

static void the_list_of_visible_gpus_is_obeyed(void **state)
{
    static const struct {
        const char *list;
        size_t index;
        bool want;
    } rows[] = {
        {NULL, 0, true},       {"", 0, false},           {"0", 0, true},
        {"0", 1, false},       {"1,0", 0, true},         {"10,2", 1, false},
        {"GPU-ab", 5, true},   {"gpu-AB", 5, true},      {"GPU-ac", 5, false},
        {"3,GPU-ab", 0, true}, {"NoDevFiles", 0, false}, {",,", 0, false},
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        print_message("  case: %s\n", rows[i].list ? rows[i].list : "NULL");
        assert_int_equal(
            osw_doctor_visible(rows[i].list, rows[i].index, "GPU-abcdef"),
            rows[i].want);
    }
}

/* --- the driver --- */

static void the_driver_decides_what_auto_means(void **state)
{
    static const struct {
        const char *asked, *wrong;
        const char *device;
        size_t n_gpus;
        enum osw_mark mark;
        const char *text;
    } rows[] = {
        /* clang-format off */
        { "auto", "", "cuda", 2, OSW_MARK_OK, "580.65.06, up to CUDA 13.0" },
        { "cuda", "", "cuda", 2, OSW_MARK_OK, "2 GPUs" },
        { "cpu", "", "cpu", 0, OSW_MARK_OK, "campaigns run on CPU" },
        { "auto", "none", "cpu", 0, OSW_MARK_OK, "no GPU here" },
        { "cuda", "none", "cuda", 0, OSW_MARK_FAIL, "no GPU is visible" },
        { "auto", "noinit", "cpu", 0, OSW_MARK_WARN, "Driver Not Loaded" },
        { "cuda", "noinit", "cuda", 0, OSW_MARK_FAIL, "Driver Not Loaded" },
        { "auto", "nocount", "cpu", 0, OSW_MARK_WARN, "cannot count" },
        /* clang-format on */
    };

    (void)state;
    assert_int_equal(fake_nvml_build(""), 0);
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        struct osw_doctor *d = make(rows[i].asked);

        print_message("  case: %s, %s\n", rows[i].asked, rows[i].wrong);
        fake_nvml_wrong(rows[i].wrong);
        osw_doctor_driver(d, &check);
        assert_found(d, rows[i].mark, rows[i].text, "");
        assert_string_equal(d->device, rows[i].device);
        assert_int_equal(d->n_gpus, rows[i].n_gpus);
        drop(d);
    }
}

static void gpus_out_of_sight_are_not_judged(void **state)
{
    static const char *const one[] = {"CUDA_VISIBLE_DEVICES", "0", NULL};
    static const char *const none[] = {"CUDA_VISIBLE_DEVICES", "7", NULL};
    struct osw_doctor *d = make("auto");

    (void)state;
    assert_int_equal(fake_nvml_build(""), 0);
    fake_nvml_wrong("exclusive");
    now = one;
    osw_doctor_driver(d, &check);
    osw_doctor_gpus(d, &check);
    assert_true(osw_doctor_fit(d));
    assert_int_equal(d->n_by_mark[OSW_MARK_OK], 2); /* driver, gpu 0 */
    drop(d);

    now = none;
    d = make("auto");
    osw_doctor_driver(d, &check);
    osw_doctor_gpus(d, &check);
    assert_false(osw_doctor_fit(d));
    assert_non_null(strstr(d->found[1].text, "'7' leaves none"));
    drop(d);

    now = nothing;
    d = make("auto");
    osw_doctor_driver(d, &check);
    osw_doctor_gpus(d, &check);
    assert_false(osw_doctor_fit(d));
    assert_string_equal(d->found[3].name, "gpu 1");
    drop(d);

    fake_nvml_wrong("unseen");
    d = make("auto");
    osw_doctor_driver(d, &check);
    assert_int_equal(d->n_gpus, 1);
    assert_false(osw_doctor_fit(d));
    drop(d);
}

/* --- MPS --- */

static enum osw_mark mps_in(const char *dir)
{
    const char *const env[] = {"CUDA_MPS_PIPE_DIRECTORY", dir, NULL};
    struct osw_doctor *d = make("cuda");
    enum osw_mark mark;

    now = env;
    osw_doctor_mps(d, &check);
    now = nothing;
    mark = d->found[0].mark;
    drop(d);
    return mark;
}

static void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static void a_daemon_of_mps_is_refused_only_while_it_lives(void **state)
{
    char dir[] = "/tmp/opsweep-mps-XXXXXX", control[64], pid[80], text[32];
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd;

    (void)state;
    assert_non_null(mkdtemp(dir));
    snprintf(control, sizeof(control), "%s/control", dir);
    snprintf(pid, sizeof(pid), "%s/nvidia-cuda-mps-control.pid", dir);
    assert_int_equal(mps_in(dir), OSW_MARK_OK);

    assert_int_equal(mkfifo(control, 0600), 0);
    assert_int_equal(mps_in(dir), OSW_MARK_OK); /* no reader */
    fd = open(control, O_RDONLY | O_NONBLOCK);
    assert_true(fd >= 0);
    assert_int_equal(mps_in(dir), OSW_MARK_FAIL);
    close(fd);

    snprintf(text, sizeof(text), "%d\n", (int)getpid());
    write_text(pid, text);
    assert_int_equal(mps_in(dir), OSW_MARK_FAIL);
    write_text(pid, "4194999\n"); /* beyond any process */
    assert_int_equal(mps_in(dir), OSW_MARK_OK);
    write_text(pid, "nonsense\n");
    assert_int_equal(mps_in(dir), OSW_MARK_OK);
    unlink(pid);
    unlink(control);

    snprintf(address.sun_path, sizeof(address.sun_path), "%s", control);
    fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(mps_in(dir), OSW_MARK_OK); /* does not listen */
    assert_int_equal(listen(fd, 4), 0);
    assert_int_equal(mps_in(dir), OSW_MARK_FAIL);
    close(fd);
    unlink(control);
    rmdir(dir);
}

/* --- devices --- */

static void a_sound_device_gives_only_ok(void **state)
{
    struct osw_doctor *d = make("cpu");

    (void)state;
    osw_doctor_devices(d, &check);
    assert_int_equal(d->n_found, 5);
    assert_int_equal(d->n_by_mark[OSW_MARK_OK], 5);
    assert_int_equal(d->n_health, 1);
    assert_string_equal(d->found[1].name, "cpu 0 memory");
    drop(d);
}

static int counts_none(size_t *n, struct osw_error *err)
{
    (void)err;
    *n = 0;
    return 0;
}

static int counts_two(size_t *n, struct osw_error *err)
{
    (void)err;
    *n = 2;
    return 0;
}

static int dies(size_t *n, struct osw_error *err)
{
    (void)n;
    (void)err;
    _exit(3);
}

static int hangs(size_t *n, struct osw_error *err)
{
    (void)n;
    (void)err;
    while (pause() < 0)
        continue;
    return -1;
}

static int fails(size_t *n, struct osw_error *err)
{
    (void)n;
    return osw_fail(err, OSW_SYSTEM, "driver version is insufficient");
}

static void a_device_that_cannot_be_used_costs_no_more_than_itself(void **state)
{
    static const struct {
        int (*count)(size_t *, struct osw_error *);
        const char *text;
    } rows[] = {
        {counts_none, "0 devices of kind 'cpu' can be used"},
        {dies, "the process that used it died"},
        {hangs, "no answer within 1 s"},
        {fails, "driver version is insufficient"},
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        struct osw_device_ops ops = osw_device_cpu_ops;
        struct osw_doctor *d = make("cpu");

        print_message("  case: %s\n", rows[i].text);
        ops.count = rows[i].count;
        d->patience_s = rows[i].count == hangs ? 1 : 60;
        osw_doctor_examine(d, &check, &ops);
        assert_found(d, OSW_MARK_FAIL, rows[i].text, "");
        drop(d);
    }
}

static void every_device_is_examined_and_counted(void **state)
{
    struct osw_device_ops ops = osw_device_cpu_ops;
    struct osw_doctor *d = make("cuda");

    (void)state;
    ops.count = counts_two;
    d->n_gpus = 3; /* of which CUDA sees two */
    for (size_t i = 0; i < d->n_gpus; i++) {
        d->gpus[i] = sound_gpu();
        d->gpus[i].facts.max_memory_mhz = 2e6; /* a peak out of reach */
        d->gpus[i].facts.bus_bits = 6144;
    }
    osw_doctor_examine(d, &check, &ops);
    assert_int_equal(d->n_health, 2);
    assert_int_equal(d->n_by_mark[OSW_MARK_OK], 8);
    assert_int_equal(d->n_by_mark[OSW_MARK_WARN], 2); /* copies are slow */
    assert_int_equal(d->n_by_mark[OSW_MARK_FAIL], 1);
    assert_string_equal(d->found[10].text, "CUDA can use 2 GPUs of 3");
    drop(d);
}

static void a_kind_that_this_program_lacks_is_said(void **state)
{
    struct osw_doctor *d = make("abacus");

    (void)state;
    osw_doctor_devices(d, &check);
    assert_found(d, OSW_MARK_FAIL, "devices of kind 'abacus'", "plugins");
    drop(d);
}

/* --- the node --- */

static void a_missing_folder_is_said(void **state)
{
    struct osw_doctor *d = make("cpu");

    (void)state;
    d->folder = "/nowhere/at/all";
    osw_doctor_folder(d, &check);
    assert_found(d, OSW_MARK_FAIL, "'/nowhere/at/all': No such file", "name");
    drop(d);
    d = make("cpu");
    d->folder = "/nowhere/at/all";
    osw_doctor_hdf5(d, &check);
    assert_found(d, OSW_MARK_FAIL, "/nowhere/at/all", "written");
    drop(d);
}

static void tight_limits_are_said_each(void **state)
{
    struct osw_doctor *d = make("cpu");
    struct rlimit before, tight;

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    tight = before;
    tight.rlim_cur = 200;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &tight), 0);
    osw_doctor_limits(d, &check);
    tight.rlim_cur = 63;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &tight), 0);
    osw_doctor_limits(d, &check);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(d->found[0].mark, OSW_MARK_WARN);
    assert_string_equal(d->found[0].text,
                        "open files 200: a rank holds sockets and files");
    assert_string_equal(d->found[0].cure, "ulimit -n 4096");
    assert_int_equal(d->n_by_mark[OSW_MARK_FAIL], 1);
    drop(d);
}

static void a_cache_that_is_not_ours_is_said(void **state)
{
    struct osw_doctor *d = make("cpu");
    char dir[] = "/tmp/opsweep-cache-XXXXXX";

    (void)state;
    assert_non_null(mkdtemp(dir));
    assert_int_equal(chmod(dir, 0777), 0);
    setenv("OPSWEEP_CACHE", dir, 1);
    osw_doctor_cache(d, &check);
    unsetenv("OPSWEEP_CACHE");
    assert_found(d, OSW_MARK_FAIL, dir, "OPSWEEP_CACHE");
    drop(d);
    rmdir(dir);
}

static void slurm_without_pmix_is_said(void **state)
{
    static const char *const env[] = {"SLURM_STEP_NUM_TASKS", "8", NULL};
    struct osw_doctor *d = make("cpu");

    (void)state;
    now = env;
    osw_doctor_mpi(d, &check);
    now = nothing;
    assert_found(d, OSW_MARK_FAIL, "PMIX_RANK is not set", "srun --mpi=pmix");
    drop(d);
}

/* --- programs --- */

static void the_first_line_of_a_program_is_kept(void **state)
{
    static const struct {
        const char *script;
        int rc;
        const char *line;
    } rows[] = {
        {"echo one; echo two", 0, "one"},
        {"echo; echo two", 0, "two"},
        {"printf no-newline", 0, "no-newline"},
        {"true", 0, ""},
        {"echo bad; exit 3", -1, "bad"},
        {"sleep 60", -1, ""},
        {"echo 0123456789012345678901234567890123456789", 0,
         "0123456789012345678901234567890"},
    };
    const char *absent[] = {"/nowhere/program", NULL};
    char line[32];

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        const char *argv[] = {"sh", "-c", rows[i].script, NULL};

        print_message("  case: %s\n", rows[i].script);
        assert_int_equal(osw_doctor_tool(argv, 1, line, sizeof(line)),
                         rows[i].rc);
        assert_string_equal(line, rows[i].line);
    }
    assert_int_equal(osw_doctor_tool(absent, 1, line, sizeof(line)), -1);
}

/* --- output --- */

static void lines_are_aligned_and_counted(void **state)
{
    struct osw_doctor *d = make("cpu");
    struct osw_text text = OSW_TEXT_INIT;
    const char *body;

    (void)state;
    osw_doctor_say(d, OSW_MARK_OK, "one", "", "all is %s", "well");
    osw_doctor_say(d, OSW_MARK_FAIL, "longer", "do\tthis", "two\nlines\n");
    osw_doctor_print(d, &text);
    body = strstr(osw_text_str(&text), "\n\n");
    assert_non_null(body);
    assert_string_equal(body, "\n\n"
                              "ok    one     all is well\n"
                              "FAIL  longer  two lines; cure: do\tthis\n"
                              "\n"
                              "1 ok, 0 notes, 0 warnings, 1 failure: "
                              "not fit for a campaign\n");
    assert_false(osw_doctor_fit(d));
    osw_text_free(&text);
    drop(d);
}

static void json_says_the_same(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_doctor *d = make("cuda");
    struct osw_text text = OSW_TEXT_INIT;
    const osw_json_t *gpu, *found;
    const char *s = NULL;
    osw_json_t *root;
    int64_t n = 0;

    (void)state;
    osw_doctor_say(d, OSW_MARK_WARN, "one", "a \"cure\"", "half well");
    d->gpus[0] = sound_gpu();
    d->gpus[0].facts.n_processes = -1;
    d->n_gpus = 1;
    osw_doctor_print_json(d, &text);
    root = osw_json_parse(osw_text_str(&text), text.used, "out", &err);
    assert_non_null(root);
    assert_int_equal(osw_json_str(osw_json_get(root, "format"), &s, &err), 0);
    assert_string_equal(s, "opsweep doctor 1");
    assert_int_equal(osw_json_kind(osw_json_get(root, "fit")), OSW_JSON_BOOL);
    found = osw_json_at(osw_json_get(root, "checks"), 0);
    assert_int_equal(osw_json_str(osw_json_get(found, "mark"), &s, &err), 0);
    assert_string_equal(s, "warn");
    assert_int_equal(osw_json_str(osw_json_get(found, "cure"), &s, &err), 0);
    assert_string_equal(s, "a \"cure\"");
    gpu = osw_json_at(osw_json_get(root, "gpus"), 0);
    assert_int_equal(osw_json_i64(osw_json_get(gpu, "index"), &n, &err), 0);
    assert_int_equal(n, 3);
    assert_int_equal(osw_json_kind(osw_json_get(gpu, "processes")),
                     OSW_JSON_NULL); /* unknown */
    osw_json_free(root);
    osw_text_free(&text);
    drop(d);
}

static void more_findings_than_fit_are_counted_still(void **state)
{
    struct osw_doctor *d = make("cpu");

    (void)state;
    for (int i = 0; i < OSW_DOCTOR_MAX_FINDINGS + 10; i++)
        osw_doctor_say(d, OSW_MARK_OK, "x", "", "%d", i);
    assert_true(osw_doctor_fit(d));
    osw_doctor_say(d, OSW_MARK_FAIL, "x", "", "last");
    assert_int_equal(d->n_found, OSW_DOCTOR_MAX_FINDINGS);
    assert_false(osw_doctor_fit(d));
    drop(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sound_or_silent_gpu_has_no_ills),
        cmocka_unit_test(each_ill_of_a_gpu_is_said_with_its_cure),
        cmocka_unit_test(what_a_sample_shows_is_an_ill_too),
        cmocka_unit_test(processes_of_others_are_named),
        cmocka_unit_test(the_list_of_visible_gpus_is_obeyed),
        cmocka_unit_test(the_driver_decides_what_auto_means),
        cmocka_unit_test(gpus_out_of_sight_are_not_judged),
        cmocka_unit_test(a_daemon_of_mps_is_refused_only_while_it_lives),
        cmocka_unit_test(a_sound_device_gives_only_ok),
        cmocka_unit_test(
            a_device_that_cannot_be_used_costs_no_more_than_itself),
        cmocka_unit_test(every_device_is_examined_and_counted),
        cmocka_unit_test(a_kind_that_this_program_lacks_is_said),
        cmocka_unit_test(a_missing_folder_is_said),
        cmocka_unit_test(tight_limits_are_said_each),
        cmocka_unit_test(a_cache_that_is_not_ours_is_said),
        cmocka_unit_test(slurm_without_pmix_is_said),
        cmocka_unit_test(the_first_line_of_a_program_is_kept),
        cmocka_unit_test(lines_are_aligned_and_counted),
        cmocka_unit_test(json_says_the_same),
        cmocka_unit_test(more_findings_than_fit_are_counted_still),
    };

    return cmocka_run_group_tests_name("mpi_runner/doctor", tests, NULL, NULL);
}
