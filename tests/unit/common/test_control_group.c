/* tests/unit/common/test_control_group.c - limits of memory in made-up files */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/kernel/control_group.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

#define V1  "/sys/fs/cgroup/memory"
#define V2  "/sys/fs/cgroup"
#define MIX "/sys/fs/cgroup/unified"

/* The node has 1000 KiB available in each. */
static const struct {
    const char *what;
    const char *groups;      /* /proc/self/cgroup */
    const char *files[8][2]; /* path, text */
    uint64_t want;           /* left in the groups */
} cases[] = {
    /* clang-format off */
    {"no groups", NULL, {{NULL}}, UINT64_MAX},
    {"v2 without a limit", "0::/a\n",
     {{V2 "/a/memory.max", "max\n"}, {V2 "/a/memory.current", "7\n"}},
     UINT64_MAX},
    {"v2 with one", "0::/a\n",
     {{V2 "/a/memory.max", "4096\n"}, {V2 "/a/memory.current", "96\n"}}, 4000},
    {"files that can be dropped are free", "0::/a\n",
     {{V2 "/a/memory.max", "4096\n"}, {V2 "/a/memory.current", "2096\n"},
      {V2 "/a/memory.stat",
       "anon 1000\nfile 900\ninactive_file 500\nactive_file 300\n"
       "slab_reclaimable 20\n"}}, 2820},
    {"the group around it has less", "0::/job_7/step_0\n",
     {{V2 "/job_7/step_0/memory.max", "9000\n"},
      {V2 "/job_7/step_0/memory.current", "0\n"},
      {V2 "/job_7/memory.max", "5000\n"},
      {V2 "/job_7/memory.current", "1000\n"}}, 4000},
    {"only the one around it has a limit", "0::/job_7/step_0/task_0\n",
     {{V2 "/job_7/memory.max", "5000\n"},
      {V2 "/job_7/memory.current", "1000\n"},
      {V2 "/job_7/step_0/memory.max", "max\n"}}, 4000},
    {"a container shows its own group as the root", "0::/docker/a1b2\n",
     {{V2 "/memory.max", "3000\n"}, {V2 "/memory.current", "1000\n"}}, 2000},
    {"a group outside of the name space", "0::/../b\n",
     {{V2 "/memory.max", "3000\n"}, {V2 "/memory.current", "1000\n"}}, 2000},
    {"nothing is left", "0::/a\n",
     {{V2 "/a/memory.max", "4096\n"}, {V2 "/a/memory.current", "5000\n"}}, 1},
    {"v1 without a limit", "4:memory:/a\n",
     {{V1 "/a/memory.limit_in_bytes", "9223372036854771712\n"},
      {V1 "/a/memory.usage_in_bytes", "7\n"}}, UINT64_MAX},
    {"v1, of Slurm", "7:cpuset:/x\n4:memory:/slurm/uid_0/job_3/step_0\n0::/\n",
     {{V1 "/slurm/uid_0/job_3/step_0/memory.limit_in_bytes", "8000\n"},
      {V1 "/slurm/uid_0/job_3/step_0/memory.usage_in_bytes", "10\n"},
      {V1 "/slurm/uid_0/job_3/memory.limit_in_bytes", "6000\n"},
      {V1 "/slurm/uid_0/job_3/memory.usage_in_bytes", "3000\n"},
      {V1 "/slurm/uid_0/job_3/memory.stat",
       "inactive_file 1\ntotal_inactive_file 600\ntotal_active_file 40\n"}},
     3640},
    {"v1, two controllers together", "4:hugetlb,memory:/a\n",
     {{V1 "/a/memory.limit_in_bytes", "500\n"},
      {V1 "/a/memory.usage_in_bytes", "100\n"}}, 400},
    {"a controller of a similar name", "4:memory2,xmemory:/a\n",
     {{V1 "/a/memory.limit_in_bytes", "500\n"}}, UINT64_MAX},
    {"both generations", "4:memory:/a\n0::/b\n",
     {{V1 "/a/memory.limit_in_bytes", "500\n"},
      {V1 "/a/memory.usage_in_bytes", "100\n"},
      {MIX "/b/memory.max", "350\n"}, {MIX "/b/memory.current", "50\n"}}, 300},
    {"nonsense", "memory\n:::\n4:memory\n",
     {{V1 "/a/memory.limit_in_bytes", "500\n"}}, UINT64_MAX},
    /* clang-format on */
};

static char root[64];

static void put(const char *path, const char *text)
{
    char name[300], command[400];
    FILE *f;

    snprintf(name, sizeof(name), "%s%s", root, path);
    snprintf(command, sizeof(command), "mkdir -p \"$(dirname '%s')\"", name);
    assert_int_equal(system(command), 0);
    f = fopen(name, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void the_least_limit_around_the_process_counts(void **state)
{
    char command[100];

    (void)state;
    for (size_t i = 0; i < N_ELEM(cases); i++) {
        struct osw_memory_left left;

        print_message("  case: %s\n", cases[i].what);
        strcpy(root, "/tmp/osw-groups-XXXXXX");
        assert_non_null(mkdtemp(root));
        put("/proc/meminfo", "MemTotal: 9000 kB\nMemAvailable:   1000 kB\n");
        if (cases[i].groups)
            put("/proc/self/cgroup", cases[i].groups);
        for (size_t k = 0; k < 8 && cases[i].files[k][0]; k++)
            put(cases[i].files[k][0], cases[i].files[k][1]);
        left = osw_memory_left(root);
        assert_int_equal(left.node, 1000 * 1024);
        assert_int_equal(left.group, cases[i].want);
        snprintf(command, sizeof(command), "rm -rf '%s'", root);
        assert_int_equal(system(command), 0);
    }
}

static void what_is_not_there_is_not_known(void **state)
{
    struct osw_memory_left left = osw_memory_left("/nowhere/at/all");
    char path[8];

    (void)state;
    assert_true(left.node == UINT64_MAX && left.group == UINT64_MAX);
    assert_false(osw_control_group("/nowhere", "memory", path, sizeof(path)));
}

static void this_process_may_take_some(void **state)
{
    (void)state;
    assert_true(osw_memory_left_bytes() > 1 << 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_limit_around_the_process_counts),
        cmocka_unit_test(what_is_not_there_is_not_known),
        cmocka_unit_test(this_process_may_take_some),
    };

    return cmocka_run_group_tests_name("common/kernel/control_group", tests,
                                       NULL, NULL);
}
