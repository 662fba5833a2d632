/* tests/unit/results/test_file_h5.c - reading files of opsweep and of others */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <sys/stat.h>

#include "results/file/file.h"
#include "results/file/store.h"
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

static osw_file_t *open_fixture(const struct folder *f)
{
    struct osw_error err = OSW_ERROR_INIT;
    osw_file_t *file = NULL;

    if (fixture_file(f->path, &err) == 0)
        file = osw_file_open(f->path, &err);
    if (!file)
        fail_msg("%s", err.text);
    return file;
}

static void attributes_are_what_the_run_said(void **state)
{
    osw_file_t *file = open_fixture(*state);
    const struct osw_file_info *i = osw_file_info(file);

    assert_int_equal(i->version[0], 1);
    assert_int_equal(i->version[1], 5);
    assert_string_equal(i->run_uuid, "01234567-89ab-4cde-8f01-23456789abcd");
    assert_string_equal(i->created_utc, "2026-01-01T00:00:00Z");
    assert_int_equal(strlen(i->sealed_utc), 20);
    assert_true(i->complete);
    assert_int_equal(i->n_planned, 6);
    assert_int_equal(i->n_results, 6);
    assert_int_equal(i->n_samples, 6);
    /* echo '{ "suite": "smoke" }' | sha256sum */
    assert_string_equal(
        i->campaign_sha256,
        "4724be6b4162a1b74f82bc2ac246dad4462f98757ac59ed69bd6831ecd376365");
    assert_string_equal(i->campaign_path, "a.json");
    assert_string_equal(i->campaign_json, "{ \"suite\": \"smoke\" }\n");
    assert_string_equal(i->campaign_resolved,
                        "{\"suite\": \"smoke\", \"device\": \"cpu\"}");
    assert_string_equal(i->tool_version, "1.2.3");
    assert_string_equal(i->command_line, "opsweep run a.json -o run.h5");
    assert_string_equal(i->hostname, "head");
    assert_string_equal(i->profile, "smoke");
    assert_int_equal(i->seed, 42);
    assert_int_equal(i->mpi_size, 3);
    osw_file_close(file);
}

static void a_bare_file_has_all_but_its_texts(void **state)
{
    const struct folder *f = *state;
    osw_file_t *file = open_fixture(f), *bare;
    struct osw_error err = OSW_ERROR_INIT;
    uint32_t n = osw_file_dict_count(file, OSW_DICT_OP);
    osw_dicts_t *dicts = osw_dicts_create();
    bool is_new;
    uint32_t id;
    uint64_t cells[6];

    bare = osw_file_open_bare(f->path, &err);
    assert_non_null(bare);
    assert_int_equal(osw_file_info(bare)->n_results, 6);
    assert_string_equal(osw_file_text(bare, OSW_DICT_OP, 1), "?");
    assert_int_equal(
        osw_file_column_part(bare, "cell", OSW_COLUMN_u64, 4, 2, cells, &err),
        0);
    assert_int_equal(cells[0], 4);
    assert_int_equal(cells[1], 5);
    assert_non_null(dicts);
    for (uint32_t i = 0; i < n - 1; i++)
        assert_int_equal(osw_dicts_intern(dicts, OSW_DICT_OP,
                                          osw_file_text(file, OSW_DICT_OP, i),
                                          &id, &is_new, &err),
                         0);
    assert_int_equal(osw_file_check_dict(bare, OSW_DICT_OP, dicts, NULL), -1);
    assert_int_equal(osw_dicts_intern(dicts, OSW_DICT_OP,
                                      osw_file_text(file, OSW_DICT_OP, n - 1),
                                      &id, &is_new, &err),
                     0);
    assert_int_equal(osw_file_check_dict(bare, OSW_DICT_OP, dicts, &err), 0);
    assert_int_equal(
        osw_dicts_intern(dicts, OSW_DICT_OP, "more", &id, &is_new, &err), 0);
    assert_int_equal(osw_file_check_dict(bare, OSW_DICT_OP, dicts, &err), -1);
    assert_non_null(strstr(err.text, "texts in '/dict/op', expected"));
    osw_dicts_forget(dicts, OSW_DICT_OP);
    osw_dicts_forget(dicts, OSW_DICT_OP);
    err = (struct osw_error)OSW_ERROR_INIT;
    assert_int_equal(
        osw_dicts_intern(dicts, OSW_DICT_OP, "other", &id, &is_new, &err), 0);
    assert_int_equal(osw_file_check_dict(bare, OSW_DICT_OP, dicts, &err), -1);
    assert_non_null(strstr(err.text, "differs"));
    osw_dicts_destroy(dicts);
    osw_file_close(bare);
    osw_file_close(file);
}

static void records_are_what_was_recorded(void **state)
{
    osw_file_t *file = open_fixture(*state);
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_record got[6];
    uint64_t off = 0;

    assert_int_equal(osw_file_records(file, 0, 6, got, &err), 0);
    for (uint64_t i = 0; i < 6; i++) {
        struct osw_record want = fixture_record(i);
        struct osw_cell_names names = fixture_names(i);

        assert_int_equal(got[i].cell, i);
        assert_int_equal(got[i].cell_key, want.cell_key);
        assert_int_equal(got[i].rank, want.rank);
        assert_int_equal(got[i].status_id, want.status_id);
        assert_int_equal(got[i].check_id, want.check_id);
        assert_int_equal(got[i].t_start_ns, want.t_start_ns);
        assert_int_equal(got[i].first_bad, want.first_bad);
        assert_int_equal(isnan(got[i].max_rel_err), isnan(want.max_rel_err));
        assert_string_equal(got[i].reason, want.reason);
        assert_string_equal(got[i].reference, want.reference);
        assert_string_equal(got[i].baseline, want.baseline);
        assert_string_equal(osw_file_text(file, OSW_DICT_OP, got[i].op_id),
                            names.op);
        assert_string_equal(osw_file_text(file, OSW_DICT_CASE, got[i].case_id),
                            names.case_text);
        assert_string_equal(osw_file_text(file, OSW_DICT_HOST, got[i].host_id),
                            names.host);
        assert_int_equal(got[i].sample_off, off);
        off += got[i].sample_n;
    }
    osw_file_close(file);
}

static void devices_are_what_workers_said(void **state)
{
    osw_file_t *file = open_fixture(*state);
    const struct osw_file_device *d;
    size_t n;

    d = osw_file_devices(file, &n);
    assert_int_equal(n, 2);
    for (size_t i = 0; i < 2; i++) {
        struct osw_device_info want = fixture_device((int)i);

        assert_int_equal(d[i].rank, 1 + (int)i);
        assert_string_equal(osw_file_text(file, OSW_DICT_HOST, d[i].host_id),
                            i ? "n2" : "n1");
        assert_string_equal(d[i].info.kind, want.kind);
        assert_int_equal(d[i].info.index, want.index);
        assert_string_equal(d[i].info.uuid, want.uuid);
        assert_string_equal(d[i].info.name, want.name);
        assert_string_equal(d[i].info.driver, want.driver);
        assert_string_equal(d[i].info.runtime, want.runtime);
        assert_string_equal(d[i].info.driver_cuda, want.driver_cuda);
        assert_string_equal(d[i].info.capability, want.capability);
        assert_int_equal(d[i].info.cores, want.cores);
        assert_int_equal(d[i].info.memory_bytes, want.memory_bytes);
        assert_int_equal(isnan(d[i].info.max_clock_mhz), i == 0);
        assert_true(i == 0 || d[i].info.max_clock_mhz == 1980);
        assert_true(i == 0 || d[i].info.max_memory_clock_mhz == 2619);
        assert_int_equal(d[i].info.check_ns, want.check_ns);
        assert_string_equal(d[i].info.notes, want.notes);
        assert_string_equal(d[i].info.health, want.health);
    }
    osw_file_close(file);
}

static void columns_and_samples_can_be_read_alone(void **state)
{
    osw_file_t *file = open_fixture(*state);
    struct osw_error err = OSW_ERROR_INIT;
    double speedup[6];
    uint32_t ops[6];
    float t[3];

    assert_int_equal(
        osw_file_column(file, "speedup", OSW_COLUMN_f64, speedup, &err), 0);
    assert_true(speedup[0] == 2 && speedup[1] == 0.5 && speedup[3] == 8);
    assert_true(isnan(speedup[2]) && isnan(speedup[5]));
    assert_int_equal(osw_file_column(file, "op_id", OSW_COLUMN_u32, ops, &err),
                     0);
    assert_int_equal(ops[0], ops[2]);
    assert_int_not_equal(ops[0], ops[3]);
    assert_int_equal(osw_file_samples(file, 2, 3, t, &err), 0);
    assert_true(t[0] == 12 && t[1] == 40 && t[2] == 41);
    osw_file_close(file);
}

static void what_is_not_there_is_named(void **state)
{
    osw_file_t *file = open_fixture(*state);
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_record r[2];
    float t[2];

    assert_int_equal(osw_file_records(file, 5, 2, r, &err), -1);
    assert_non_null(strstr(err.text, "has no row 6, only 6 rows"));
    err = (struct osw_error)OSW_ERROR_INIT;
    assert_int_equal(osw_file_records(file, UINT64_MAX, 2, r, &err), -1);
    err = (struct osw_error)OSW_ERROR_INIT;
    assert_int_equal(osw_file_samples(file, 5, 2, t, &err), -1);
    assert_non_null(strstr(err.text, "has no samples 5 to 7, only 6"));
    err = (struct osw_error)OSW_ERROR_INIT;
    assert_int_equal(osw_file_column(file, "warp", OSW_COLUMN_u32, r, &err),
                     -1);
    assert_non_null(strstr(err.text, "no dataset '/results/warp'"));
    assert_string_equal(osw_file_text(file, OSW_DICT_OP, 99), "?");
    osw_file_close(file);
}

static void expect_refused(const char *path, const char *why)
{
    struct osw_error err = OSW_ERROR_INIT;

    assert_null(osw_file_open(path, &err));
    assert_int_equal(err.status, OSW_BAD_INPUT);
    if (!strstr(err.text, why))
        fail_msg("'%s' does not say '%s'", err.text, why);
    if (!strstr(err.text, path))
        fail_msg("'%s' does not name '%s'", err.text, path);
}

static void files_that_are_no_hdf5_are_refused(void **state)
{
    const struct folder *f = *state;
    static const char *const contents[] = {"", "op,impl\n",
                                           "\x89HDF\r\n\x1a\n"};

    expect_refused("/nowhere/at/all.h5", "No such file");
    expect_refused(f->dir, "is a folder, expected a result file");
    expect_refused("/dev/zero", "is a device, expected a result file");
    assert_int_equal(mkfifo(f->path, 0600), 0);
    expect_refused(f->path, "is a pipe, expected a result file");
    remove(f->path);
    for (size_t i = 0; i < 2; i++) {
        FILE *file = fopen(f->path, "w");

        assert_non_null(file);
        fputs(contents[i], file);
        fclose(file);
        expect_refused(f->path, i == 0 ? "is empty" : "is no HDF5 file");
    }
}

/* Files that HDF5 can read, and we cannot: each wrong in one way. */
static void write_foreign(const char *path, const char *schema, int32_t major,
                          bool rest)
{
    struct osw_error err = OSW_ERROR_INIT;
    osw_store_t *s = osw_store_create(path, &err);
    int32_t version[] = {major, 7};

    assert_non_null(s);
    if (schema)
        osw_store_attr_text(s, "/", "schema", schema);
    if (major)
        osw_store_attr(s, "/", "schema_version", OSW_STORE_I32, version,
                       rest ? 2 : 1);
    assert_int_equal(osw_store_finish(s, &err), 0);
}

static void other_schemas_and_versions_are_refused(void **state)
{
    const struct folder *f = *state;

    write_foreign(f->path, NULL, 0, true);
    expect_refused(f->path, "attribute 'schema' is not 'opsweep.results'");
    write_foreign(f->path, "weather.data", 1, true);
    expect_refused(f->path, "attribute 'schema' is not 'opsweep.results'");
    write_foreign(f->path, "opsweep.results", 0, true);
    expect_refused(f->path, "no attribute 'schema_version'");
    write_foreign(f->path, "opsweep.results", 1, false);
    expect_refused(f->path, "cannot read attribute 'schema_version'");
    write_foreign(f->path, "opsweep.results", 2, true);
    expect_refused(f->path, "has schema version 2.7, this program reads 1.x");
    write_foreign(f->path, "opsweep.results", 1, true);
    expect_refused(f->path, "no attribute 'run_uuid'");
}

/* Open and read everything; it may fail, but only with an error. */
static bool read_all(const char *path)
{
    struct osw_error err = OSW_ERROR_INIT;
    osw_file_t *file = osw_file_open(path, &err);
    struct osw_record r[6];
    float t[6];
    bool ok = false;

    if (file && osw_file_info(file)->n_results == 6 &&
        osw_file_info(file)->n_samples == 6)
        ok = osw_file_records(file, 0, 6, r, &err) == 0 &&
             osw_file_samples(file, 0, 6, t, &err) == 0;
    if (!ok && file && err.status == OSW_OK)
        err.status = OSW_BAD_INPUT; /* counts that were changed */
    assert_int_equal(err.status, ok ? OSW_OK : OSW_BAD_INPUT);
    osw_file_close(file);
    return ok;
}

static void a_truncated_file_is_refused_at_any_length(void **state)
{
    const struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    struct stat st;

    assert_int_equal(fixture_file(f->path, &err), 0);
    assert_int_equal(stat(f->path, &st), 0);
    for (off_t n = st.st_size - 25; n > 0; n -= 997) {
        assert_int_equal(truncate(f->path, n), 0);
        assert_false(read_all(f->path));
        expect_refused(f->path, n < 8 ? "is no HDF5" : "'");
    }
}

static void flip(const char *path, long at)
{
    FILE *file = fopen(path, "r+");
    int c;

    assert_non_null(file);
    assert_int_equal(fseek(file, at, SEEK_SET), 0);
    c = getc(file);
    assert_int_equal(fseek(file, at, SEEK_SET), 0);
    putc(c ^ 0x10, file);
    fclose(file);
}

static void a_flipped_bit_is_noticed_anywhere(void **state)
{
    const struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    struct stat st;

    assert_int_equal(fixture_file(f->path, &err), 0);
    assert_int_equal(stat(f->path, &st), 0);
    for (long at = 0; at < st.st_size - 24; at += 131) {
        flip(f->path, at);
        expect_refused(f->path, "is damaged: its checksum is");
        flip(f->path, at);
    }
    assert_true(read_all(f->path));
}

/* The footer goes when other programs change the file. */
static void a_file_without_checksum_is_read(void **state)
{
    const struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    struct stat st;

    assert_int_equal(fixture_file(f->path, &err), 0);
    assert_int_equal(stat(f->path, &st), 0);
    assert_int_equal(truncate(f->path, st.st_size - 24), 0);
    assert_true(read_all(f->path));
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(attributes_are_what_the_run_said),
        T(a_bare_file_has_all_but_its_texts),
        T(records_are_what_was_recorded),
        T(devices_are_what_workers_said),
        T(columns_and_samples_can_be_read_alone),
        T(what_is_not_there_is_named),
        T(files_that_are_no_hdf5_are_refused),
        T(other_schemas_and_versions_are_refused),
        T(a_truncated_file_is_refused_at_any_length),
        T(a_flipped_bit_is_noticed_anywhere),
        T(a_file_without_checksum_is_read),
    };
#undef T

    return cmocka_run_group_tests_name("results/file_h5", tests, NULL, NULL);
}
