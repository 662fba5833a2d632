/* test_batch.c - batch scripts, the words of Slurm, comments of jobs */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_runner/batch/batch_script.h"
#include "mpi_runner/batch/job_comment.h"
#include "mpi_runner/batch/slurm.h"

static const char shipped[] = "#!/bin/bash\n"
                              "#SBATCH --nodes=1\n"
                              "#\n"
                              "echo body \"$@\"\n";

/* --- scripts --- */

static void a_script_is_the_shipped_one_with_options_and_words(void **state)
{
    static const char *const sbatch[] = {"--nodes=4", "--time=2:00:00"};
    static const char *const words[] = {"--suite=smoke", "--ops=a b"};
    const struct osw_batch batch = {.sbatch = sbatch,
                                    .n_sbatch = 2,
                                    .comment = "opsweep:/a/\"b\\.h5",
                                    .folder = "/home/me",
                                    .program = "/opt/my tools/opsweep",
                                    .words = words,
                                    .n_words = 2};
    struct osw_text out = OSW_TEXT_INIT;

    (void)state;
    assert_int_equal(osw_batch_script(shipped, &batch, &out, NULL), 0);
    assert_string_equal(
        osw_text_str(&out),
        "#!/bin/bash\n"
        "#SBATCH --nodes=1\n"
        "#SBATCH --nodes=4\n"
        "#SBATCH --time=2:00:00\n"
        "#SBATCH --comment=\"opsweep:/a/\\\"b\\\\.h5\"\n"
        "#\n# Made by opsweep submit.  Words after its name are added to those "
        "below.\n\n"
        "cd -- /home/me || exit 2\n"
        "OPSWEEP=${OPSWEEP:-'/opt/my tools/opsweep'}\n"
        "set -- --suite=smoke '--ops=a b' \"$@\"\n\n"
        "#\necho body \"$@\"\n");
    osw_text_free(&out);
}

static void an_array_names_the_file_of_each_shard(void **state)
{
    const struct osw_batch batch = {.output = "my run.h5", .n_shards = 4};
    struct osw_text out = OSW_TEXT_INIT;

    (void)state;
    assert_int_equal(osw_batch_script(shipped, &batch, &out, NULL), 0);
    assert_non_null(strstr(osw_text_str(&out), "#SBATCH --array=1-4\n"));
    assert_non_null(
        strstr(osw_text_str(&out),
               "set -- --shard=\"$SLURM_ARRAY_TASK_ID/4\" --output='my "
               "run'\".shard-$SLURM_ARRAY_TASK_ID.h5\" \"$@\"\n"));
    assert_non_null(strstr(osw_text_str(&out),
                           "OPSWEEP_EXIT_FILE='my "
                           "run'\".shard-$SLURM_ARRAY_TASK_ID.exit\"\n"));
    osw_text_free(&out);
}

static void what_cannot_stand_in_a_script_is_refused(void **state)
{
    const struct osw_batch lines = {.comment = "opsweep:/a\n#SBATCH -x"};
    const struct osw_batch plain = {.comment = "opsweep:/a"};
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_text out = OSW_TEXT_INIT;

    (void)state;
    assert_int_equal(osw_batch_script(shipped, &lines, &out, &err), -1);
    assert_int_equal(err.status, OSW_BAD_INPUT);
    assert_non_null(
        strstr(err.text, "'--output': expected a name of one line"));
    err = (struct osw_error)OSW_ERROR_INIT;
    assert_int_equal(osw_batch_script("#!/bin/sh\n", &plain, &out, &err), -1);
    assert_non_null(strstr(err.text, "expected '#!/bin/bash'"));
    osw_text_free(&out);

    assert_int_equal(osw_batch_check("qos", "high,low", NULL), 0);
    for (const char *const *bad =
             (const char *const[]){"", "a b", "a\nb", "$(x)", "`x`", "a;b",
                                   "\"", "'", "\\", NULL};
         *bad; bad++) {
        err = (struct osw_error)OSW_ERROR_INIT;
        assert_int_equal(osw_batch_check("qos", *bad, &err), -1);
        assert_non_null(strstr(err.text, "option '--qos': expected letters"));
    }
}

static void times_are_those_of_slurm(void **state)
{
    static const char *const good[] = {"0",       "90",        "5:30",
                                       "2:00:00", "1-12",      "1-12:30",
                                       "7-0:0:0", "UNLIMITED", "infinite"};
    static const char *const bad[] = {
        "2h",        "-1",       "",    "1:",    ":30",
        "1-",        "1:2:3:4",  "1.5", "1-2-3", "soon",
        "1-2:3:4:5", "2:00:00s", "1 2", "-",     "9999999999"};

    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        assert_int_equal(osw_batch_check_time(good[i], NULL), 0);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct osw_error err = OSW_ERROR_INIT;

        print_message("  case: '%s'\n", bad[i]);
        assert_int_equal(osw_batch_check_time(bad[i], &err), -1);
        assert_non_null(strstr(err.text, "option '--time': expected minutes"));
    }
}

static void where_a_job_may_run_holds_for_the_merge(void **state)
{
    static const char *const yes[] = {"--partition=p", "--clusters=c",
                                      "-pp",           "--reservation=r",
                                      "-t10",          "--time=1"};
    static const char *const no[] = {
        "--partitions=p", "--exclusive", "-N4", "--mem=8G",
        "--time-min=5",   "-",           ""};

    (void)state;
    for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
        assert_true(osw_batch_is_for_merge(yes[i]));
    for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
        assert_false(osw_batch_is_for_merge(no[i]));
}

/* Each word comes back from a shell as it went in. */
static void a_shell_reads_words_back(void **state)
{
    static const char *const words[] = {
        "plain", "",      "a b",      "it's", "$HOME", "`id`", "a\nb",
        "\\",    "\"q\"", "-n",       "*",    "~",     "#x",   "a;b&c|d",
        "!x",    "\t",    "\xc3\xa9", "'",    "''",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        struct osw_text line = OSW_TEXT_INIT;
        char found[64] = "";
        FILE *f;

        osw_text_add(&line, "printf %s ");
        osw_text_add_shell(&line, words[i]);
        f = popen(osw_text_str(&line), "r");
        assert_non_null(f);
        found[fread(found, 1, sizeof(found) - 1, f)] = '\0';
        assert_int_equal(pclose(f), 0);
        assert_string_equal(found, words[i]);
        osw_text_free(&line);
    }
}

static void shards_are_named_after_the_file(void **state)
{
    (void)state;
    assert_int_equal(osw_batch_base_length("run.h5"), 3);
    assert_int_equal(osw_batch_base_length("run"), 3);
    assert_int_equal(osw_batch_base_length(".h5"), 3);
    assert_int_equal(osw_batch_base_length("a.h5.h5"), 4);
}

/* --- what Slurm says --- */

static void a_refusal_is_slurms_words_and_what_to_change(void **state)
{
    static const struct {
        const char *words, *want;
        enum osw_status status;
    } rows[] = {
        {"sbatch: error: invalid partition specified: x\n", "--partition names",
         OSW_BAD_INPUT},
        {"sbatch: error: Batch job submission failed: Invalid qos "
         "specification\n",
         "--qos names", OSW_BAD_INPUT},
        {"sbatch: error: Batch job submission failed: Requested time limit is "
         "invalid (missing or exceeds some limit)\n",
         "--time is at most", OSW_BAD_INPUT},
        {"sbatch: error: Batch job submission failed: Job dependency problem\n",
         "--after names", OSW_BAD_INPUT},
        {"sbatch: error: Batch job submission failed: Unable to contact slurm "
         "controller (connect failure)\n",
         "`scontrol ping`", OSW_SYSTEM},
        {"something\nelse\n", "x: something; else", OSW_BAD_INPUT},
        {"", "x: Slurm refused it without a word", OSW_BAD_INPUT},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct osw_error err = OSW_ERROR_INIT;

        print_message("  case: %s\n", rows[i].words);
        assert_int_equal(osw_slurm_refuse("x", rows[i].words, &err), -1);
        assert_int_equal(err.status, rows[i].status);
        assert_non_null(strstr(err.text, rows[i].want));
        assert_null(strchr(err.text, '\n'));
    }
}

static void long_words_of_slurm_are_cut_and_say_so(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    char words[2000];

    (void)state;
    memset(words, 'w', sizeof(words) - 1);
    words[sizeof(words) - 1] = '\0';
    (void)osw_slurm_refuse("x", words, &err);
    assert_non_null(strstr(err.text, "ww..."));
}

static void a_program_is_fed_and_heard(void **state)
{
    static const char *const cat[] = {"sh", "-c", "cat; echo e >&2; exit 3",
                                      NULL};
    static const char *const none[] = {"no-such-program", NULL};
    struct osw_slurm_answer answer;
    struct osw_error err = OSW_ERROR_INIT;

    (void)state;
    assert_int_equal(osw_slurm_call(cat, "in\n", &answer, &err), 0);
    assert_int_equal(answer.exit_code, 3);
    assert_string_equal(osw_text_str(&answer.out), "in\ne\n");
    osw_text_free(&answer.out);
    assert_int_equal(osw_slurm_call(none, NULL, &answer, &err), -1);
    assert_int_equal(err.status, OSW_SYSTEM);
    assert_non_null(strstr(err.text, "no no-such-program in PATH"));
    osw_text_free(&answer.out);
}

/* --- comments --- */

static void a_comment_names_the_file_by_its_whole_path(void **state)
{
    osw_arena_t *arena = osw_arena_create();
    struct osw_error err = OSW_ERROR_INIT;
    const char *comment = osw_job_comment(arena, "/usr/../tmp/./x.h5", &err);

    (void)state;
    assert_string_equal(comment, "opsweep:/tmp/x.h5");
    assert_string_equal(osw_job_comment(arena, "/x.h5", &err), "opsweep:/x.h5");
    assert_string_equal(osw_job_comment_file(comment), "/tmp/x.h5");
    assert_true(osw_job_comment_is_ours(comment));
    assert_string_equal(osw_job_comment_shards(arena, comment),
                        "opsweep:/tmp/x.shard-%a.h5");
    assert_true(osw_job_comment_is_ours("opsweep"));
    assert_false(osw_job_comment_is_ours("(null)"));
    assert_null(osw_job_comment(arena, "/no/such/folder/x.h5", &err));
    assert_int_equal(err.status, OSW_BAD_INPUT);
    osw_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_script_is_the_shipped_one_with_options_and_words),
        cmocka_unit_test(an_array_names_the_file_of_each_shard),
        cmocka_unit_test(what_cannot_stand_in_a_script_is_refused),
        cmocka_unit_test(times_are_those_of_slurm),
        cmocka_unit_test(where_a_job_may_run_holds_for_the_merge),
        cmocka_unit_test(a_shell_reads_words_back),
        cmocka_unit_test(shards_are_named_after_the_file),
        cmocka_unit_test(a_refusal_is_slurms_words_and_what_to_change),
        cmocka_unit_test(long_words_of_slurm_are_cut_and_say_so),
        cmocka_unit_test(a_program_is_fed_and_heard),
        cmocka_unit_test(a_comment_names_the_file_by_its_whole_path),
    };

    return cmocka_run_group_tests_name("mpi_runner/batch", tests, NULL, NULL);
}
