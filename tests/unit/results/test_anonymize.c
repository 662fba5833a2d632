/* tests/unit/results/test_anonymize.c - what is replaced, and what stays */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "results/export/anonymize.h"
#include "tests/unit/results/golden.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

/* A reason of the only cell, and what becomes of it.  Hosts of the run: head
 * (the coordinator) is host1; node7.cluster.org, of the cell, is host2.
 */
static const struct {
    const char *text, *want;
} cases[] = {
    /* clang-format off */
    {"element 5: found 1.25, expected 1", "element 5: found 1.25, expected 1"},
    {"3.5 GB/s of 4 GB/s, 1/2", "3.5 GB/s of 4 GB/s, 1/2"},
    {"driver 580.65.06", "driver 580.65.06"},
    {"cannot open '/data/x y/mm_a.cu': no", "cannot open 'PATH/mm_a.cu': no"},
    {"/home/alice/k/mm_a.cu:12:3: error", "PATH/mm_a.cu:12:3: error"},
    {"cd /home/alice.", "cd PATH."},
    {"alice and malice", "user1 and malice"},
    {"nvcc -I/opt/alice/include -O3", "nvcc -IPATH -O3"},
    {"--root=/scratch/alice x", "--root=PATH x"},
    {"file:///srv/a.json", "file:PATH/a.json"},
    {"ops/alice/mm_a.cu, ../b, ~/c", "PATH/mm_a.cu, PATH, PATH"},
    {"mm/fast and aten.mm.default", "mm/fast and aten.mm.default"},
    {"node7: ECC", "host2: ECC"},
    {"on node7.cluster.org.", "on host2."},
    {"[node7:123] and node77", "[host2:123] and node77"},
    {"ahead of head", "ahead of host1"},
    {"bob@node7 node7.other", "bob@host2 host2"},
    {"GPU-0a1b2c3d-1111-2222-3333-444444444444 lost", "GPU-uuid2 lost"},
    {"0A1B2C3D-1111-2222-3333-444444444444f", "0A1B2C3D-1111-2222-3333-444444444444f"},
    {"to 10.0.12.255:80, 1.2.3.4.5 and 1.2.3.256", "to ADDRESS:80, 1.2.3.4.5 and 1.2.3.256"},
    {"\xc3\xbc /h\xc3\xbc/x.py \xc3\xbc", "\xc3\xbc PATH/x.py \xc3\xbc"},
    {"", ""}, {"/", "/"}, {" / ", " / "}, {"-", "-"},
    /* clang-format on */
};

static osw_file_t *file_with(struct folder *folder, const char *reason)
{
    struct osw_run_info info = fixture_info();
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_cell_names names = fixture_names(0);
    struct osw_record r;
    osw_run_t *run;
    osw_file_t *file;

    assert_int_equal(folder_make(folder), 0);
    info.n_planned = 1;
    info.command_line = "opsweep run /home/alice/ops";
    info.campaign_path = "/home/alice/secret plan.json";
    run = osw_run_create(folder->path, &info, false, &err);
    assert_non_null(run);
    osw_record_init(&r);
    r.status_id = OSW_STATE_VALUE;
    r.reason = reason;
    names.host = "node7.cluster.org";
    assert_int_equal(osw_run_result(run, &r, &names, &err), 0);
    assert_int_equal(osw_run_seal(run, true, &err), 0);
    osw_run_close(run);
    file = osw_file_open(folder->path, &err);
    assert_non_null(file);
    return file;
}

static void texts_are_as_in_the_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(cases); i++) {
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_anonymized n;
        struct osw_record r;
        struct folder folder;
        osw_file_t *file = file_with(&folder, cases[i].text);

        assert_int_equal(osw_anonymize(file, &n, &err), 0);
        assert_int_equal(osw_file_records(file, 0, 1, &r, &err), 0);
        assert_string_equal(r.reason, cases[i].want);
        assert_string_equal(osw_file_text(file, OSW_DICT_HOST, r.host_id),
                            "host2");
        osw_file_close(file);
        folder_remove(&folder);
    }
}

static void what_a_file_says_of_itself(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_anonymized n;
    struct folder folder;
    osw_file_t *file = file_with(&folder, "x");
    const struct osw_file_info *i = osw_file_info(file);

    (void)state;
    assert_int_equal(osw_anonymize(file, &n, &err), 0);
    assert_string_equal(i->path, "run.h5");
    assert_string_equal(i->campaign_path, "secret plan.json");
    assert_string_equal(i->command_line, "opsweep run PATH");
    assert_string_equal(i->hostname, "host1");
    assert_string_equal(i->run_uuid, "uuid1");
    assert_string_equal(i->profile, "smoke");
    assert_int_equal(n.hosts, 2);
    assert_int_equal(n.uuids, 1);
    assert_int_equal(n.paths, 3);
    osw_file_close(file);
    folder_remove(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_as_in_the_table),
        cmocka_unit_test(what_a_file_says_of_itself),
    };

    return cmocka_run_group_tests_name("results/anonymize", tests, NULL, NULL);
}
