/* What testlib says, and what those say who only follow its command line. */
#include "protocol_rows.h"

#define REPORT(attributes, words)                                                                  \
    "<?xml version=\"1.0\" encoding=\"windows-1251\"?><result " attributes ">" words "</result>\n"

static void its_report_and_its_status_say_the_same(void **state) {
    (void)state;
    static const struct protocol_row rows[] = {
        {0, "", "See file", {REPORT("outcome = \"accepted\"", "3 numbers")}, AC, 9000000, "3 numb"},
        {1,
         "",
         "",
         {REPORT("outcome = \"wrong-answer\"", "1 &lt; 2 &amp;amp; &quot;")},
         WA,
         0,
         "1 < 2 &amp; \""},
        {2, "", "", {REPORT("outcome = \"presentation-error\"", "Extra")}, PE, 0, "Extra"},
        {4, "", "", {REPORT("outcome = \"presentation-error\"", "Dirt")}, PE, 0, "Dirt"},
        {8, "", "", {REPORT("outcome = \"unexpected-eof\"", "End")}, PE, 0, "End"},
        {2, "", "", {REPORT("outcome = \"unexpected-eof\"", "End")}, PE, 0, "End"},
        {7, "", "", {REPORT("outcome = \"points\" points = \"4.5\"", "half")}, PC, 4500000, "half"},
        {7, "", "", {REPORT("outcome = \"points\" points = \"9\"", "")}, AC, 9000000, ""},
        {7, "", "", {REPORT("outcome = \"points\" points = \"0\"", "")}, WA, 0, ""},
        {7, "", "", {REPORT("outcome = \"points\" points = \"0.3333333333\"", "")}, PC, 333333, ""},
        /* the status of a share looks like other answers */
        {0, "", "", {REPORT("outcome = \"partially-correct\" pctype = \"0\"", "")}, WA, 0, ""},
        {1, "", "", {REPORT("outcome = \"partially-correct\" pctype = \"1\"", "")}, PC, 45000, ""},
        {3, "", "", {REPORT("outcome = \"partially-correct\" pctype = \"3\"", "")}, PC, 135000, ""},
        {57,
         "",
         "",
         {REPORT("outcome = \"partially-correct\" pctype = \"7\"", "")},
         PC,
         315000,
         ""},
        {100,
         "",
         "",
         {REPORT("outcome = \"partially-correct\" pctype = \"100\"", "half")},
         PC,
         4500000,
         "half"},
        {200,
         "",
         "",
         {REPORT("outcome = \"partially-correct\" pctype = \"200\"", "")},
         AC,
         9000000,
         ""},
        /* a long message was cut, and its end with it */
        {1, "", "", {"<result outcome = \"wrong-answer\">very long ..."}, WA, 0, "very long ..."},
    };
    SCORED(ADAPTER_TESTLIB, rows);
}

static void a_report_that_lies_is_no_answer(void **state) {
    (void)state;
    static const struct protocol_row rows[] = {
        {3, "", "", {REPORT("outcome = \"fail\"", "no answer")}, BROKEN, 0, "FAIL: no answer"},
        {0, "", "", {REPORT("outcome = \"wrong-answer\"", "")}, BROKEN, 0, "says otherwise"},
        {1, "", "", {REPORT("outcome = \"accepted\"", "")}, BROKEN, 0, "says otherwise"},
        {0, "", "", {REPORT("outcome = \"fail\"", "")}, BROKEN, 0, "says otherwise"},
        {3, "", "", {REPORT("outcome = \"accepted\"", "")}, BROKEN, 0, "says otherwise"},
        {8,
         "",
         "",
         {REPORT("outcome = \"partially-correct\" pctype = \"7\"", "")},
         BROKEN,
         0,
         "says otherwise"},
        {201,
         "",
         "",
         {REPORT("outcome = \"partially-correct\" pctype = \"201\"", "")},
         BROKEN,
         0,
         "says otherwise"},
        {7,
         "",
         "",
         {REPORT("outcome = \"points\" points = \"9.0000001\"", "")},
         BROKEN,
         0,
         "more points"},
        {7, "", "", {REPORT("outcome = \"points\" points = \"-1\"", "")}, BROKEN, 0, "number"},
        {7, "", "", {REPORT("outcome = \"points\" points = \"nan\"", "")}, BROKEN, 0, "number"},
        {7, "", "", {REPORT("outcome = \"points\"", "")}, BROKEN, 0, "number"},
        {0, "", "", {REPORT("outcome = \"perfect\"", "")}, BROKEN, 0, "outcome"},
        {0, "", "", {REPORT("", "")}, BROKEN, 0, "outcome"},
        {0, "", "", {"all is well"}, BROKEN, 0, "not testlib's"},
        {0, "", "", {"<result outcome = \"accepted\""}, BROKEN, 0, "not testlib's"},
    };
    SCORED(ADAPTER_TESTLIB, rows);
}

static void without_a_report_the_status_decides(void **state) {
    (void)state;
    static const struct protocol_row rows[] = {
        {0, "", "ok 3 numbers", {NULL}, AC, 9000000, "3 numbers"},
        {0, "well done", "", {""}, AC, 9000000, "well done"},
        {1, "", "wrong answer 1st", {NULL}, WA, 0, "1st"},
        {2, "", "wrong output format", {NULL}, PE, 0, ""},
        {4, "", "", {NULL}, PE, 0, ""},
        {8, "", "unexpected eof", {NULL}, PE, 0, ""},
        {7, "", "debug\npoints 2.25 fine", {NULL}, PC, 2250000, ""},
        {7, "", "points 1\npoints 2", {NULL}, PC, 2000000, ""},
        /* DMOJ's dialect for COCI, behind whatever else stands there */
        {7, "", "partial 1/3", {NULL}, PC, 3000000, "partial 1/3"},
        {7, "", "garbage\npartial 4/4\n", {NULL}, AC, 9000000, "garbage"},
        {7, "", "partial 0/4", {NULL}, WA, 0, ""},
        {0, "", "partially correct (0) none", {NULL}, WA, 0, "none"},
        {3, "", "partially correct (3) few", {NULL}, PC, 135000, "few"},
        {53, "", "partially correct (3) few", {NULL}, PC, 135000, "few"},
        {3, "", "FAIL no answer", {NULL}, BROKEN, 0, "FAIL no answer"},
        {3, "", "partially correct (4) few", {NULL}, BROKEN, 0, "FAIL"},
        {7, "", "", {NULL}, BROKEN, 0, "number"},
        {7, "", "points many", {NULL}, BROKEN, 0, "number"},
        {7, "", "points -1", {NULL}, BROKEN, 0, "number"},
        {7, "", "points 10", {NULL}, BROKEN, 0, "more points"},
        {5, "", "", {NULL}, BROKEN, 0, "status 5"},
        {42, "", "", {NULL}, BROKEN, 0, "status 42"},
        {139, "", "", {NULL}, BROKEN, 0, "status 139"},
        {255, "", "", {NULL}, BROKEN, 0, "status 255"},
    };
    SCORED(ADAPTER_TESTLIB, rows);
}

static void points_are_no_answer_where_none_are_counted(void **state) {
    (void)state;
    static const struct protocol_row rows[] = {
        {7, "", "points 1", {NULL}, BROKEN, 0, "counts none"},
        {100, "", "partially correct (100)", {NULL}, WA, 0, ""},
        {200, "", "partially correct (200)", {NULL}, AC, 9000000, ""},
        {0, "", "ok", {NULL}, AC, 9000000, ""},
    };
    PASS_FAIL(ADAPTER_TESTLIB, rows);
}

static void hustoj_means_a_share_by_points(void **state) {
    (void)state;
    static const struct protocol_row rows[] = {
        {0, "", "ok", {NULL}, AC, 9000000, ""},
        {1, "", "", {NULL}, WA, 0, ""},
        {2, "", "", {NULL}, PE, 0, ""},
        {7, "", "points 0.5", {NULL}, PC, 4500000, ""},
        {7, "", "points 1", {NULL}, AC, 9000000, ""},
        {7, "", "points 1.5", {NULL}, BROKEN, 0, "more than the whole case"},
        {3, "", "FAIL", {NULL}, BROKEN, 0, "FAIL"},
    };
    SCORED(ADAPTER_HUSTOJ_TESTLIB, rows);
}

static void hydro_means_a_share_up_to_1_and_per_cent_above(void **state) {
    (void)state;
    static const struct protocol_row rows[] = {
        {7, "", "points 0.5", {NULL}, PC, 4500000, ""},
        {7, "", "points 1", {NULL}, AC, 9000000, ""},
        {7, "", "points 50", {NULL}, PC, 4500000, ""},
        {7, "", "points 100", {NULL}, AC, 9000000, ""},
        {7, "", "points 1.5", {NULL}, PC, 135000, ""},
        {7, "", "points 101", {NULL}, BROKEN, 0, "more than the whole case"},
        {50,
         "",
         "",
         {REPORT("outcome = \"partially-correct\" pctype = \"50\"", "")},
         PC,
         4500000,
         ""},
        {0, "", "", {REPORT("outcome = \"accepted\"", "")}, AC, 9000000, ""},
    };
    SCORED(ADAPTER_HYDRO_TESTLIB, rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(its_report_and_its_status_say_the_same),
        cmocka_unit_test(a_report_that_lies_is_no_answer),
        cmocka_unit_test(without_a_report_the_status_decides),
        cmocka_unit_test(points_are_no_answer_where_none_are_counted),
        cmocka_unit_test(hustoj_means_a_share_by_points),
        cmocka_unit_test(hydro_means_a_share_up_to_1_and_per_cent_above),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
