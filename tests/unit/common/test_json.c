/* tests/unit/common/test_json.c - reading JSON with places */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/json.h"
#include "common/text.h"
#include "tests/unit/chaos.h"

static osw_json_t *parse(const char *text, struct osw_error *err)
{
    return osw_json_parse(text, strlen(text), "f.json", err);
}

static void values_are_found_in_file_order(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    osw_json_t *root = parse("{\"z\": 1, \"a\": [true, null, \"x\", 2.5],"
                             " \"m\": {}}",
                             &err);
    const osw_json_t *a;

    (void)state;
    assert_non_null(root);
    assert_int_equal(osw_json_kind(root), OSW_JSON_OBJECT);
    assert_int_equal(osw_json_size(root), 3);
    assert_string_equal(osw_json_key(osw_json_at(root, 0)), "z");
    assert_string_equal(osw_json_key(osw_json_at(root, 1)), "a");
    assert_string_equal(osw_json_key(osw_json_at(root, 2)), "m");
    assert_null(osw_json_at(root, 3));
    a = osw_json_get(root, "a");
    assert_int_equal(osw_json_size(a), 4);
    assert_int_equal(osw_json_kind(osw_json_at(a, 0)), OSW_JSON_BOOL);
    assert_int_equal(osw_json_kind(osw_json_at(a, 1)), OSW_JSON_NULL);
    assert_int_equal(osw_json_kind(osw_json_at(a, 2)), OSW_JSON_STR);
    assert_int_equal(osw_json_kind(osw_json_at(a, 3)), OSW_JSON_FLOAT);
    assert_string_equal(osw_json_key(osw_json_at(a, 0)), "");
    assert_null(osw_json_get(root, "b"));
    assert_null(osw_json_get(a, "z"));
    assert_int_equal(osw_json_size(osw_json_get(root, "m")), 0);
    osw_json_free(root);
}

static void values_are_read_as_c_types(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    osw_json_t *root = parse("{\"i\": -9223372036854775808, \"u\": 7,"
                             " \"f\": 0.1, \"s\": \"h\\u00e9\", \"b\": false}",
                             &err);
    const char *s = NULL;
    uint64_t u = 0;
    int64_t i = 0;
    double f = 0;
    bool b = true;

    (void)state;
    assert_non_null(root);
    assert_int_equal(osw_json_i64(osw_json_get(root, "i"), &i, &err), 0);
    assert_int_equal(osw_json_u64(osw_json_get(root, "u"), &u, &err), 0);
    assert_int_equal(osw_json_f64(osw_json_get(root, "f"), &f, &err), 0);
    assert_int_equal(osw_json_str(osw_json_get(root, "s"), &s, &err), 0);
    assert_int_equal(osw_json_bool(osw_json_get(root, "b"), &b, &err), 0);
    assert_true(i == INT64_MIN);
    assert_int_equal(u, 7);
    assert_true(f == 0.1);
    assert_string_equal(s, "h\xc3\xa9");
    assert_false(b);
    assert_int_equal(osw_json_f64(osw_json_get(root, "u"), &f, &err), 0);
    assert_true(f == 7.0);
    osw_json_free(root);
}

static void an_absent_value_keeps_the_default(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    const char *s = "default";
    uint64_t u = 1;
    int64_t i = 2;
    double f = 3;
    bool b = true;

    (void)state;
    assert_int_equal(osw_json_str(NULL, &s, &err), 0);
    assert_int_equal(osw_json_u64(NULL, &u, &err), 0);
    assert_int_equal(osw_json_i64(NULL, &i, &err), 0);
    assert_int_equal(osw_json_f64(NULL, &f, &err), 0);
    assert_int_equal(osw_json_bool(NULL, &b, &err), 0);
    assert_int_equal(osw_json_expect(NULL, OSW_JSON_LIST, &err), 0);
    assert_string_equal(s, "default");
    assert_int_equal(u, 1);
    assert_int_equal(i, 2);
    assert_true(f == 3.0);
    assert_true(b);
    assert_int_equal(err.status, OSW_OK);
    assert_int_equal(osw_json_kind(NULL), OSW_JSON_NULL);
    assert_int_equal(osw_json_size(NULL), 0);
}

/* Reading document.a.b[1] as each type; text: what b[1] is. */
static void a_wrong_type_names_file_key_and_both_types(void **state)
{
    static const struct {
        const char *text;
        char as;
        const char *want;
    } rows[] = {
        {"\"x\"", 'i', "expected an integer, found a string"},
        {"1.5", 'i', "expected an integer, found a number"},
        {"1.5", 'u', "expected an integer, found a number"},
        {"-1", 'u', "expected an integer >= 0, found -1"},
        {"\"1\"", 'f', "expected a number, found a string"},
        {"3", 's', "expected a string, found an integer"},
        {"null", 's', "expected a string, found null"},
        {"[]", 'b', "expected true or false, found a list"},
        {"{}", 'l', "expected a list, found an object"},
        {"true", 'l', "expected a list, found true"},
    };

    (void)state;
    for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
        struct osw_error err = OSW_ERROR_INIT;
        char text[64], want[128];
        const osw_json_t *v;
        osw_json_t *root;
        const char *s = "s";
        uint64_t u = 1;
        int64_t i = 1;
        double f = 1;
        bool b = true;
        int rc;

        print_message("  case: %s as %c\n", rows[k].text, rows[k].as);
        snprintf(text, sizeof(text), "{\"a\": {\"b\": [0, %s]}}", rows[k].text);
        root = parse(text, &err);
        assert_non_null(root);
        v = osw_json_at(osw_json_get(osw_json_get(root, "a"), "b"), 1);
        rc = rows[k].as == 'i'   ? osw_json_i64(v, &i, &err)
             : rows[k].as == 'u' ? osw_json_u64(v, &u, &err)
             : rows[k].as == 'f' ? osw_json_f64(v, &f, &err)
             : rows[k].as == 's' ? osw_json_str(v, &s, &err)
             : rows[k].as == 'b' ? osw_json_bool(v, &b, &err)
                                 : osw_json_expect(v, OSW_JSON_LIST, &err);
        assert_int_equal(rc, -1);
        assert_int_equal(err.status, OSW_BAD_INPUT);
        snprintf(want, sizeof(want), "f.json: key 'a.b[1]': %s", rows[k].want);
        assert_string_equal(err.text, want);
        assert_true(i == 1 && u == 1 && f == 1.0 && b && *s == 's');
        osw_json_free(root);
    }
}

static void the_root_needs_no_key(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    osw_json_t *root = parse("[1]", &err);

    (void)state;
    assert_int_equal(osw_json_expect(root, OSW_JSON_OBJECT, &err), -1);
    assert_string_equal(err.text, "f.json: expected an object, found a list");
    osw_json_free(root);
}

/* Each text is wrong in one way. */
static void bad_documents_are_refused_by_place(void **state)
{
    static const struct {
        const char *text, *place, *what;
    } rows[] = {
        {"", "f.json:1:0: ", "expected"},
        {"{\"a\": 1,\n \"b\": }", "f.json:2:", "unexpected token"},
        {"{\"a\": 1,\n\n\"a\": 2}", "f.json:3:", "duplicate"},
        {"[1] x", "f.json:1:", "end of file expected"},
        {"[1", "f.json:1:", "']' expected"},
        {"7", "f.json:1:", "expected"},
        {"[99999999999999999999]", "f.json:1:", "too big integer"},
        {"[1e999]", "f.json:1:", "real number overflow"},
        {"[\"\\u0000\"]", "f.json:1:", "\\u0000"},
        {"[\"\xff\"]", "f.json:1:", "unable to decode"},
        {"[NaN]", "f.json:1:", "invalid token"},
        {"[1,]", "f.json:1:", "unexpected token"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct osw_error err = OSW_ERROR_INIT;

        print_message("  case: %s\n", rows[i].text);
        assert_null(parse(rows[i].text, &err));
        assert_int_equal(err.status, OSW_BAD_INPUT);
        assert_int_equal(
            strncmp(err.text, rows[i].place, strlen(rows[i].place)), 0);
        assert_non_null(strstr(err.text, rows[i].what));
    }
}

/* "[[...]]", `depth` lists in each other. */
static osw_json_t *parse_nested(size_t depth, struct osw_error *err)
{
    char text[2 * OSW_JSON_MAX_DEPTH + 8];

    memset(text, '[', depth);
    memset(text + depth, ']', depth);
    text[2 * depth] = '\0';
    return parse(text, err);
}

static void depth_is_bounded(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    osw_json_t *root = parse_nested(OSW_JSON_MAX_DEPTH, &err);

    (void)state;
    assert_non_null(root);
    osw_json_free(root);
    assert_null(parse_nested(OSW_JSON_MAX_DEPTH + 1, &err));
    assert_non_null(strstr(err.text, "nested deeper than 32"));
}

static void size_is_bounded(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;

    (void)state;
    assert_null(
        osw_json_parse("[]", (size_t)OSW_JSON_MAX_BYTES + 1, "big.json", &err));
    assert_string_equal(err.text, "big.json: 67108865 bytes, at most 67108864");
}

static void a_needed_key_that_is_missing_is_named(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    osw_json_t *root = parse("{\"a\": {\"b\": 1}}", &err);
    const osw_json_t *a = osw_json_get(root, "a");

    (void)state;
    assert_non_null(osw_json_need(a, "b", &err));
    assert_null(osw_json_need(a, "c", &err));
    assert_string_equal(err.text, "f.json: key 'a.c': missing");
    osw_json_free(root);
}

static void an_unknown_key_is_named_with_its_neighbour(void **state)
{
    static const char *const allowed[] = {"tolerance", "fill", NULL};
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"{\"fill\": 1, \"tolerance\": 2}", NULL},
        {"{}", NULL},
        {"{\"fill\": 1, \"tolerence\": 2}",
         "f.json: key 'tolerence': unknown key (did you mean 'tolerance'?)"},
        {"{\"zzz\": 1}",
         "f.json: key 'zzz': unknown key: expected one of tolerance, fill"},
        {"[]", "f.json: expected an object, found a list"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct osw_error err = OSW_ERROR_INIT;
        osw_json_t *root = parse(rows[i].text, &err);
        int rc = osw_json_only_keys(root, allowed, &err);

        assert_int_equal(rc, rows[i].want ? -1 : 0);
        assert_string_equal(err.text, rows[i].want ? rows[i].want : "");
        osw_json_free(root);
    }
}

static void a_file_is_read_and_named(void **state)
{
    char path[] = "/tmp/osw-test-json-XXXXXX";
    struct osw_error err = OSW_ERROR_INIT;
    int fd = mkstemp(path);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
    osw_json_t *root;

    (void)state;
    assert_non_null(f);
    fputs("{\"k\": 5,\n oops}", f);
    fclose(f);
    root = osw_json_load_file(path, &err);
    remove(path);
    assert_null(root);
    assert_int_equal(strncmp(err.text, path, strlen(path)), 0);
    assert_int_equal(strncmp(err.text + strlen(path), ":2:", 3), 0);
}

static void a_file_that_is_not_there_is_bad_input(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;

    (void)state;
    assert_null(osw_json_load_file("/nonexistent/x.json", &err));
    assert_int_equal(err.status, OSW_BAD_INPUT);
    assert_string_equal(err.text, "no file '/nonexistent/x.json'");
}

static void a_folder_is_no_file(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;

    (void)state;
    assert_null(osw_json_load_file("/tmp", &err));
    assert_int_equal(err.status, OSW_BAD_INPUT);
    assert_string_equal(err.text, "'/tmp' is a folder, expected a JSON file");
}

static void files_of_another_kind_are_named(void **state)
{
    static const struct {
        const char *bytes, *want;
    } rows[] = {{"", "'%s' is empty, expected a JSON file"},
                {"\x89HDF\r\n", "'%s' is an HDF5 file, expected a JSON file"}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char path[] = "/tmp/osw_test_json_XXXXXX", want[128];
        struct osw_error err = OSW_ERROR_INIT;
        size_t n = strlen(rows[i].bytes);
        int fd = mkstemp(path);

        assert_true(fd >= 0);
        assert_int_equal(write(fd, rows[i].bytes, n), n);
        close(fd);
        snprintf(want, sizeof(want), rows[i].want, path);
        assert_null(osw_json_load_file(path, &err));
        unlink(path);
        assert_int_equal(err.status, OSW_BAD_INPUT);
        assert_string_equal(err.text, want);
    }
}

static void every_allocation_failure_is_reported(void **state)
{
    static const char text[] = "{\"a\": [1, \"two\", {\"b\": null}]}";
    int failures = 0;

    (void)state;
    for (bool struck = true; struck; failures += struck) {
        struct osw_error err = OSW_ERROR_INIT;
        osw_json_t *root;

        chaos_arm(failures);
        root = parse(text, &err);
        struck = chaos_struck();
        assert_true(struck ? !root : root != NULL);
        assert_int_equal(err.status, struck ? OSW_NO_MEMORY : OSW_OK);
        osw_json_free(root);
    }
    assert_true(failures >= 2); /* the arena and its block */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_found_in_file_order),
        cmocka_unit_test(values_are_read_as_c_types),
        cmocka_unit_test(an_absent_value_keeps_the_default),
        cmocka_unit_test(a_wrong_type_names_file_key_and_both_types),
        cmocka_unit_test(the_root_needs_no_key),
        cmocka_unit_test(bad_documents_are_refused_by_place),
        cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(size_is_bounded),
        cmocka_unit_test(a_needed_key_that_is_missing_is_named),
        cmocka_unit_test(an_unknown_key_is_named_with_its_neighbour),
        cmocka_unit_test(a_file_is_read_and_named),
        cmocka_unit_test(a_file_that_is_not_there_is_bad_input),
        cmocka_unit_test(a_folder_is_no_file),
        cmocka_unit_test(files_of_another_kind_are_named),
        cmocka_unit_test(every_allocation_failure_is_reported),
    };

    return cmocka_run_group_tests_name("common/json", tests, NULL, NULL);
}
