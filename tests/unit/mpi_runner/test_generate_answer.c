/* tests/unit/mpi_runner/test_generate_answer.c - responses of endpoints:
 * decoded, and what follows them
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_runner/generate/ask/answer.h"
#include "mpi_runner/generate/ask/retry.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))
#define A         OSW_ANSWER_ANTHROPIC
#define O         OSW_ANSWER_OPENAI

#define START                                                                  \
    "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{"    \
    "\"model\":\"m\",\"content\":[],\"usage\":{\"input_tokens\":7}}}\n\n"
#define TEXT(t)                                                                \
    "data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":"             \
    "\"text_delta\",\"text\":\"" t "\"}}\n\n"
#define STOP(why)                                                              \
    "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"" why      \
    "\"},\"usage\":{\"output_tokens\":5}}\n\n"                                 \
    "data: {\"type\":\"message_stop\"}\n\n"
#define CHUNK(t) "data: {\"choices\":[{\"delta\":{\"content\":\"" t "\"}}]}\n\n"
#define END(why)                                                               \
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"" why "\"}]}\n\n"   \
    "data: [DONE]\n\n"

/* clang-format off */
static const struct {
    const char *what;
    enum osw_answer_style style;
    const char *bytes;
    enum osw_outcome want;
    const char *text, *why; /* parts */
} cases[] = {
    {"a stream", A, START TEXT("a") TEXT("b") STOP("end_turn"),
     OSW_OUTCOME_ANSWERED, "ab", ""},
    {"thinking is left out", A, START
     "data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"x\"}}\n\n"
     TEXT("a") STOP("end_turn"), OSW_OUTCOME_ANSWERED, "a", ""},
    {"lines end in CR LF", A, "data: {\"type\":\"message_stop\"}\r\n\r\n",
     OSW_OUTCOME_ANSWERED, "", ""},
    {"an event of two lines", A, "data: {\"type\":\ndata: \"message_stop\"}\n\n",
     OSW_OUTCOME_ANSWERED, "", ""},
    {"no blank after the colon", A, "data:{\"type\":\"message_stop\"}\n\n",
     OSW_OUTCOME_ANSWERED, "", ""},
    {"comments and other fields", A, ": hi\nid: 3\nretry: 1\n\n" TEXT("a") STOP("end_turn"),
     OSW_OUTCOME_ANSWERED, "a", ""},
    {"unknown events", A, "data: {\"type\":\"new\"}\n\n" STOP("end_turn"),
     OSW_OUTCOME_ANSWERED, "", ""},
    {"what comes after the end", A, STOP("end_turn") TEXT("more"),
     OSW_OUTCOME_ANSWERED, "", ""},
    {"no end", A, START TEXT("a"), OSW_OUTCOME_FAILED, "a", "cut off"},
    {"an end that is cut", A, START TEXT("a") "data: {\"type\":\"message_stop\"}\n",
     OSW_OUTCOME_FAILED, "a", "cut off"},
    {"nothing at all", A, "", OSW_OUTCOME_FAILED, "", "cut off"},
    {"an error on the way", A, TEXT("a")
     "data: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"busy\"}}\n\n",
     OSW_OUTCOME_FAILED, "a", "busy"},
    {"max_tokens", A, TEXT("a") STOP("max_tokens"), OSW_OUTCOME_TRUNCATED, "a", ""},
    {"a refusal", A, STOP("refusal"), OSW_OUTCOME_REFUSED, "", ""},
    {"no JSON", A, "data: {\"type\":\n\n", OSW_OUTCOME_FAILED, "", "neither"},
    {"a list", A, "data: [1]\n\n", OSW_OUTCOME_FAILED, "", "neither"},
    {"a page", A, "<html>no</html>", OSW_OUTCOME_FAILED, "", "neither"},
    {"values of other kinds", A, "data: {\"type\":3,\"delta\":[],\"error\":\"x\"}\n\n"
     "data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":null}}\n\n"
     STOP("end_turn"), OSW_OUTCOME_ANSWERED, "", ""},
    {"no stream", A, "{\"type\":\"message\",\"content\":[{\"type\":\"text\",\"text\":\"a\"}],\"stop_reason\":\"end_turn\"}",
     OSW_OUTCOME_ANSWERED, "a", ""},
    {"an error alone", A, " {\"type\":\"error\",\"error\":{\"type\":\"x\",\"message\":\"no\"}}",
     OSW_OUTCOME_FAILED, "", "no"},
    {"OpenAI's", O, CHUNK("a") CHUNK("b") END("stop"), OSW_OUTCOME_ANSWERED, "ab", ""},
    {"no choices", O, "data: {\"choices\":null}\n\ndata: {\"choices\":[]}\n\n" END("stop"),
     OSW_OUTCOME_ANSWERED, "", ""},
    {"length", O, CHUNK("a") END("length"), OSW_OUTCOME_TRUNCATED, "a", ""},
    {"a filter", O, END("content_filter"), OSW_OUTCOME_REFUSED, "", ""},
    {"no [DONE]", O, CHUNK("a"), OSW_OUTCOME_FAILED, "a", "cut off"},
    {"an error's code", O, "{\"error\":{\"message\":\"no\",\"type\":\"t\",\"code\":\"insufficient_quota\"}}",
     OSW_OUTCOME_FAILED, "", "no"},
    {"no stream of OpenAI's", O, "{\"choices\":[{\"message\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}",
     OSW_OUTCOME_ANSWERED, "a", ""},
};
/* clang-format on */

/* The same however the bytes are cut. */
static void responses_by_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(cases); i++) {
        size_t n = strlen(cases[i].bytes);

        print_message("  case: %s\n", cases[i].what);
        for (size_t step = 1; step <= n + 1; step += step < 4 ? 1 : n / 2 + 1) {
            struct osw_answer a;
            const char *why;

            osw_answer_begin(&a, cases[i].style);
            for (size_t at = 0; at < n; at += step)
                (void)osw_answer_feed(&a, cases[i].bytes + at,
                                      at + step < n ? step : n - at);
            assert_int_equal(osw_answer_end(&a, &why), cases[i].want);
            assert_string_equal(osw_text_str(&a.text), cases[i].text);
            assert_non_null(strstr(why, cases[i].why));
            osw_answer_free(&a);
        }
    }
}

static void usage_is_counted_once(void **state)
{
    static const char stream[] = START TEXT("a") STOP("end_turn");
    static const char chunk[] =
        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":10,"
        "\"completion_tokens\":4,\"prompt_tokens_details\":{"
        "\"cached_tokens\":6}}}\n\ndata: [DONE]\n\n";
    struct osw_answer a;

    (void)state;
    osw_answer_begin(&a, A);
    assert_true(osw_answer_feed(&a, stream, strlen(stream)));
    assert_int_equal(a.used.in, 7);
    assert_int_equal(a.used.out, 5);
    assert_string_equal(a.model, "m");
    osw_answer_free(&a);
    osw_answer_begin(&a, O);
    assert_true(osw_answer_feed(&a, chunk, strlen(chunk)));
    assert_int_equal(a.used.in, 4);
    assert_int_equal(a.used.cache_read, 6);
    assert_int_equal(a.used.out, 4);
    osw_answer_free(&a);
}

static void floods_are_ended(void **state)
{
    static char line[65536];
    struct osw_answer a;
    const char *why;
    size_t n = 0;

    (void)state;
    memset(line, 'x', sizeof(line));
    osw_answer_begin(&a, A);
    while (osw_answer_feed(&a, line, sizeof(line)))
        n += sizeof(line);
    assert_true(n <= OSW_ANSWER_MAX_EVENT);
    assert_int_equal(osw_answer_end(&a, &why), OSW_OUTCOME_FAILED);
    osw_answer_free(&a);
    osw_answer_begin(&a, A);
    memset(line, '\n', sizeof(line));
    line[0] = ':';
    for (n = 0; osw_answer_feed(&a, line, sizeof(line));)
        n += sizeof(line);
    assert_true(n <= OSW_ANSWER_MAX_BYTES);
    assert_int_equal(osw_answer_end(&a, &why), OSW_OUTCOME_TOO_LARGE);
    osw_answer_free(&a);
}

/* clang-format off */
static const struct {
    long status;
    const char *type, *after;
    uint32_t tries;
    enum osw_retry_what want;
    int64_t ms;
    bool pause;
} answers[] = {
    {200, "", NULL, 1, OSW_RETRY_TAKE, 0, false},
    {200, "overloaded_error", NULL, 1, OSW_RETRY_TAKE, 0, false},
    {429, "rate_limit_error", "0.2", 1, OSW_RETRY_AGAIN, 200, true},
    {429, "rate_limit_error", NULL, 1, OSW_RETRY_AGAIN, 500, true},
    {429, "rate_limit_error", NULL, 3, OSW_RETRY_AGAIN, 2000, true},
    {429, "rate_limit_error", NULL, 7, OSW_RETRY_AGAIN, 8000, true},
    {429, "rate_limit_error", NULL, 8, OSW_RETRY_TAKE, 0, false},
    {429, "", "Wed, 21 Oct 2015 07:28:00 GMT", 1, OSW_RETRY_AGAIN, 500, true},
    {429, "", "-3", 1, OSW_RETRY_AGAIN, 500, true},
    {429, "", "nan", 1, OSW_RETRY_AGAIN, 500, true},
    {429, "", "0", 2, OSW_RETRY_AGAIN, 0, true},
    {429, "", "1e9", 1, OSW_RETRY_FATAL, 0, false},
    {429, "insufficient_quota", "1", 1, OSW_RETRY_FATAL, 0, false},
    {529, "overloaded_error", NULL, 1, OSW_RETRY_AGAIN, 500, true},
    {503, "", NULL, 2, OSW_RETRY_AGAIN, 1000, false},
    {408, "", NULL, 1, OSW_RETRY_AGAIN, 500, false},
    {0, "", NULL, 1, OSW_RETRY_AGAIN, 500, false},
    {0, "", NULL, 8, OSW_RETRY_FATAL, 0, false},
    {400, "", NULL, 1, OSW_RETRY_TAKE, 0, false},
    {401, "", NULL, 1, OSW_RETRY_FATAL, 0, false},
    {404, "", NULL, 1, OSW_RETRY_FATAL, 0, false},
    {307, "", NULL, 1, OSW_RETRY_FATAL, 0, false},
};

static const struct {
    const char *url;
    bool good, local;
} urls[] = {
    {"https://api.anthropic.com", true, false},
    {"https://127.0.0.1:8443/v1", true, true},
    {"http://127.0.0.1:8000", true, true},
    {"http://localhost/v1", true, true},
    {"http://[::1]:8000", true, true},
    {"http://127.0.0.1.example.org", false, false},
    {"http://localhost.example.org", false, false},
    {"http://127.0.0.1@example.org", false, true},
    {"http://example.org#@127.0.0.1", false, false},
    {"http://[::1", false, false},
    {"https://a b", false, false},
    {"https://", false, false},
    {"ftp://127.0.0.1", false, false},
    {"127.0.0.1", false, false},
    {"", false, false},
};
/* clang-format on */

static void what_follows_by_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(answers); i++) {
        struct osw_retry r =
            osw_retry_decide(answers[i].status, answers[i].type,
                             answers[i].after, answers[i].tries);

        print_message("  status %ld, retry-after %s\n", answers[i].status,
                      answers[i].after ? answers[i].after : "-");
        assert_int_equal(r.what, answers[i].want);
        assert_int_equal(r.delay_ms, answers[i].ms);
        assert_int_equal(r.pause, answers[i].pause);
    }
}

static void urls_by_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(urls); i++) {
        bool local;

        print_message("  url '%s'\n", urls[i].url);
        assert_int_equal(osw_retry_check_url(urls[i].url, &local) == NULL,
                         urls[i].good);
        if (urls[i].good)
            assert_int_equal(local, urls[i].local);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(responses_by_table),
        cmocka_unit_test(usage_is_counted_once),
        cmocka_unit_test(floods_are_ended),
        cmocka_unit_test(what_follows_by_table),
        cmocka_unit_test(urls_by_table),
    };

    return cmocka_run_group_tests_name("mpi_runner/generate_answer", tests,
                                       NULL, NULL);
}
