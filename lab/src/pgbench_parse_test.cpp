#include <snapscope/base/files.hpp>
#include <snapscope/lab/pgbench.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace snapscope {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string case_file(const std::string& name) {
    return read_file(std::string(SNAPSCOPE_SOURCE_DIR) + "/tests/cases/" + name, 1U << 20U).value();
}

Workload parsed(std::string_view output, std::vector<std::string> argv = {}, int status = 0) {
    auto result = parse_pgbench(output, std::move(argv), status);
    EXPECT_TRUE(result) << result.error().message();
    return result ? *result : Workload{};
}

TEST(PgbenchParse, takes_the_excluding_figure_of_a_persistent_run) {
    const auto run = parsed(case_file("h05-pgbench-persistent.txt"));
    EXPECT_FALSE(run.reconnect);
    EXPECT_TRUE(run.valid);
    EXPECT_DOUBLE_EQ(*run.tps, 18419.581888);
    EXPECT_DOUBLE_EQ(*run.latency_ms, 0.870);
    EXPECT_EQ(run.clients, 16U);
    EXPECT_EQ(run.threads, 4U);
    EXPECT_EQ(run.transactions, 551789U);
    EXPECT_DOUBLE_EQ(*run.duration_s, 30);
    EXPECT_FALSE(run.latency_stddev_ms);
    EXPECT_FALSE(run.transactions_failed) << "versions before 15 cannot tell";
    EXPECT_THAT(run.notes, IsEmpty());
}

TEST(PgbenchParse, takes_the_including_figure_when_every_transaction_connects) {
    const auto text = case_file("h05-pgbench-reconnect.txt");
    for (const auto& argv : {std::vector<std::string>{"pgbench", "-nCc", "16"}, std::vector<std::string>{}}) {
        const auto run = parsed(text, argv);
        EXPECT_TRUE(run.reconnect);
        EXPECT_DOUBLE_EQ(*run.tps, 388.651729);
        EXPECT_THAT(run.notes, Contains(HasSubstr("-C")));
    }
}

TEST(PgbenchParse, a_failed_connection_is_an_invalid_workload_with_the_reason) {
    const auto run = parsed(case_file("h14-connect-failure.txt"), {"pgbench", "-c", "700"}, 1);
    EXPECT_FALSE(run.valid);
    EXPECT_FALSE(run.tps) << "never 0";
    EXPECT_THAT(run.notes, Contains(HasSubstr("too many clients already")));
    EXPECT_THAT(run.notes, Contains(HasSubstr("status 1")));
}

TEST(PgbenchParse, reads_the_wordings_of_every_version) {
    const auto cases = nlohmann::json::parse(case_file("h27-pgbench-wordings.json"));
    const std::string common = "number of clients: 10\nnumber of transactions actually processed: 10000/10000\n";

    const auto old = parsed(common + cases[0]["lines"][0].get<std::string>() + "\n" +
                            cases[0]["lines"][1].get<std::string>() + "\n");
    EXPECT_DOUBLE_EQ(*old.tps, 20.098827) << "no blank before the bracket";
    EXPECT_EQ(old.transactions, 10000U);

    const auto middle =
        parsed(common + "latency average: 1.5 ms\ntps = 85.184871 (including connections establishing)\n"
                        "tps = 85.296346 (excluding connections establishing)\n");
    EXPECT_DOUBLE_EQ(*middle.tps, cases[1]["tps"][1].get<double>());
    EXPECT_DOUBLE_EQ(*middle.latency_ms, 1.5);

    const auto now = parsed("pgbench (15.4)\nmaximum number of tries: 1\n" + common +
                            "number of failed transactions: 0 (0.000%)\nlatency average = 11.013 ms\n"
                            "latency stddev = 7.351 ms\ninitial connection time = 45.758 ms\n"
                            "tps = 896.967014 (without initial connection time)\n");
    EXPECT_DOUBLE_EQ(*now.tps, cases[2]["tps"].get<double>());
    EXPECT_DOUBLE_EQ(*now.latency_ms, cases[2]["latency_avg_ms"].get<double>());
    EXPECT_DOUBLE_EQ(*now.latency_stddev_ms, cases[2]["latency_stddev_ms"].get<double>());
    EXPECT_EQ(now.transactions_failed, 0U);
    EXPECT_TRUE(now.valid);
    EXPECT_THAT(now.notes, IsEmpty());
}

TEST(PgbenchParse, reads_a_run_with_a_latency_limit) {
    const auto run =
        parsed("number of transactions actually processed: 10000/10000\n"
               "number of transactions above the 50.0 ms latency limit: 1311/10000 (13.110 %)\n"
               "latency average = 28.488 ms\nlatency stddev = 21.009 ms\n"
               "initial connection time = 69.068 ms\ntps = 346.224794 (without initial connection time)\n");
    EXPECT_DOUBLE_EQ(*run.tps, 346.224794);
    EXPECT_THAT(run.notes, Contains(HasSubstr("1311/10000")));
}

TEST(PgbenchParse, passes_over_the_table_of_statements_of_old_and_new_versions) {
    const auto old = parsed("tps = 5.0 (excluding connections establishing)\nstatement latencies in milliseconds:\n"
                            "\t0.005847\t\\set nbranches 1 * :scale\n\t0.001842\tselect 1;\n");
    EXPECT_THAT(old.notes, IsEmpty());
    const auto now = parsed("tps = 5.0 (without initial connection time)\n"
                            "statement latencies in milliseconds and failures:\n"
                            "         0.012           0  \\set aid random(1, 100000 * :scale)\n"
                            "        11.126           0  END;\n");
    EXPECT_THAT(now.notes, IsEmpty());
}

TEST(PgbenchParse, reads_progress_lines_also_those_of_zero) {
    const auto run = parsed("progress: 1.0 s, 900.5 tps, lat 1.1 ms stddev 0.3\n"
                            "progress: 2.7 s, 0.0 tps, lat 0.000 ms stddev 0.000\n"
                            "progress: 3.0 s, 896.9 tps, lat 11.013 ms stddev 7.351, 0 failed\n"
                            "tps = 600.0 (without initial connection time)\n");
    EXPECT_THAT(run.progress_tps, ElementsAre(900.5, 0.0, 896.9));
}

TEST(PgbenchParse, says_which_clients_were_aborted) {
    const auto now = parsed("pgbench: error: client 3 script 0 aborted in command 0 query 0: ERROR:  no\n"
                            "pgbench: error: client 5 script 0 aborted in command 0 query 0: ERROR:  no\n"
                            "number of clients: 8\nnumber of transactions actually processed: 10\ntps = 5.0 (without "
                            "initial connection time)\npgbench: error: Run was aborted; the above results are "
                            "incomplete.\n",
                            {"pgbench"}, 2);
    EXPECT_EQ(now.clients_aborted, 2U);
    EXPECT_FALSE(now.valid);
    EXPECT_THAT(now.notes, Contains(HasSubstr("2 of 8 clients")));
    const auto old = parsed("client 1 aborted in command 0 (SQL) of script 0; perhaps the backend died\n"
                            "number of clients: 2\ntps = 5.0 (excluding connections establishing)\n",
                            {"pgbench"}, 2);
    EXPECT_EQ(old.clients_aborted, 1U);
    EXPECT_FALSE(old.valid);
}

TEST(PgbenchParse, counts_failed_transactions_and_keeps_the_run) {
    const auto run = parsed("number of transactions actually processed: 90\nnumber of failed transactions: 10 "
                            "(10.000%)\ntps = 5.0 (without initial connection time)\n");
    EXPECT_EQ(run.transactions_failed, 10U);
    EXPECT_TRUE(run.valid);
    EXPECT_THAT(run.notes, Contains(HasSubstr("10 transactions failed")));
}

TEST(PgbenchParse, keeps_lines_that_it_does_not_know_as_notes) {
    std::string text = "tps = 5.0 (without initial connection time)\n";
    for (int line = 0; line < 8; ++line)
        text += "flux capacitance = 1.21 GW\n";
    const auto run = parsed(text);
    EXPECT_TRUE(run.valid);
    EXPECT_EQ(run.notes.size(), 6U);
    EXPECT_EQ(run.notes.back(), "not understood: 3 more lines");
}

TEST(PgbenchParse, refuses_a_known_line_without_its_number) {
    for (const auto* text : {"tps = fast (without initial connection time)\n", "number of clients: many\n",
                             "latency average = nan ms\n", "progress: 1.0 s\n", "tps = 1e999 (excluding)\n"})
        EXPECT_FALSE(parse_pgbench(text, {}, 0)) << text;
}

TEST(PgbenchParse, refuses_what_pgbench_never_prints) {
    EXPECT_FALSE(parse_pgbench("hello\n", {}, 0));
    EXPECT_FALSE(parse_pgbench("", {}, 0));
    EXPECT_FALSE(parsed("hello\n", {"false"}, 1).valid) << "a load that failed is a workload that failed";
}

TEST(PgbenchParse, a_run_without_a_transaction_is_not_valid) {
    EXPECT_FALSE(parsed("number of transactions actually processed: 0\ntps = 0.000000 (including connections "
                        "establishing)\n")
                     .valid);
}

TEST(PgbenchReconnects, finds_the_option_among_others) {
    using Words = std::vector<std::string>;
    EXPECT_TRUE(pgbench_reconnects(Words{"pgbench", "-C"}));
    EXPECT_TRUE(pgbench_reconnects(Words{"pgbench", "-nC", "-c", "8"}));
    EXPECT_TRUE(pgbench_reconnects(Words{"pgbench", "--connect"}));
    EXPECT_FALSE(pgbench_reconnects(Words{"pgbench", "-c", "8", "-f", "-C"})) << "the value of -f";
    EXPECT_FALSE(pgbench_reconnects(Words{"pgbench", "-UCarol"})) << "the value of -U";
    EXPECT_FALSE(pgbench_reconnects(Words{"pgbench", "--", "-C"}));
}

} // namespace
} // namespace snapscope
