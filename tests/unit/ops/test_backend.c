/* tests/unit/ops/test_backend.c - the table of backends */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/catalog/backend.h"

static void rows_are_found_by_name(void **state)
{
    (void)state;
    assert_false(osw_backend_find("library")->custom);
    assert_true(osw_backend_find("custom_ops")->custom);
    assert_true(osw_backend_find("aten")->torch);
    assert_true(osw_backend_find("directory")->kernels);
    assert_ptr_equal(osw_backend_find("pregenerated"),
                     osw_backend_find("directory"));
    assert_null(osw_backend_find("librar"));
    assert_null(osw_backend_find(""));
}

static void the_table_ends(void **state)
{
    size_t n = 0;

    (void)state;
    while (osw_backend_at(n)) {
        assert_ptr_equal(osw_backend_find(osw_backend_at(n)->name),
                         osw_backend_at(n));
        n++;
    }
    assert_true(n > 1);
    assert_null(osw_backend_at(n + 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_found_by_name),
        cmocka_unit_test(the_table_ends),
    };

    return cmocka_run_group_tests_name("ops/backend", tests, NULL, NULL);
}
