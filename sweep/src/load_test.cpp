#include <snapscope/sweep/sweep_run.hpp>

#include <gmock/gmock.h>

namespace snapscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

SweepPoint point_of(double x, std::vector<Setting> variables = {}) {
    SweepPoint point;
    point.x = x;
    point.variables = std::move(variables);
    return point;
}

TEST(Load, of_pgbench_prints_its_progress_unless_it_does_already) {
    EXPECT_THAT(load_of({"pgbench", "-S"}, "max_connections", point_of(200)), ElementsAre("pgbench", "-P", "1", "-S"));
    for (const auto* own : {"-P5", "--progress=5"})
        EXPECT_THAT(load_of({"/opt/bin/pgbench", own}, "max_connections", point_of(200)),
                    ElementsAre("/opt/bin/pgbench", own));
}

TEST(Load, of_pgbench_gets_the_clients_of_the_point_last) {
    EXPECT_THAT(load_of({"pgbench", "-P", "2", "-c", "4", "-j", "2"}, "clients", point_of(16)),
                ElementsAre("pgbench", "-P", "2", "-c", "4", "-j", "2", "-c", "16"));
    EXPECT_THAT(load_of({"pgbench", "-P2", "-j2"}, "max_connections", point_of(200, {{"clients", "3"}})),
                ElementsAre("pgbench", "-P2", "-j2", "-c", "3"));
}

TEST(Load, that_is_another_program_is_left_alone) {
    EXPECT_THAT(load_of({"mybench", "x"}, "clients", point_of(16)), ElementsAre("mybench", "x"));
}

TEST(Idle, is_absent_a_number_or_what_is_left) {
    EXPECT_EQ(*idle_of({"pgbench"}, "max_connections", point_of(200)), std::nullopt);
    EXPECT_EQ(*idle_of({"pgbench"}, "max_connections", point_of(200, {{"idle", "17"}})), 17U);
    EXPECT_EQ(*idle_of({"pgbench", "-c", "4"}, "max_connections", point_of(200, {{"idle", "fill"}})), 200U - 4 - 8);
    EXPECT_EQ(*idle_of({"pgbench"}, "max_connections", point_of(200, {{"idle", "fill"}})), 200U - 1 - 8);
    EXPECT_EQ(*idle_of({"other"}, "max_connections", point_of(200, {{"clients", "6"}, {"idle", "fill"}})),
              200U - 6 - 8);
}

TEST(Idle, cannot_fill_what_is_not_known_or_not_there) {
    EXPECT_EQ(idle_of({"other"}, "max_connections", point_of(200, {{"idle", "fill"}})).error().error_class,
              ErrorClass::usage);
    EXPECT_EQ(idle_of({"pgbench"}, "clients", point_of(200, {{"idle", "fill"}})).error().error_class,
              ErrorClass::usage);
    EXPECT_THAT(idle_of({"pgbench", "-c", "10"}, "max_connections", point_of(12, {{"idle", "fill"}})).error().what,
                HasSubstr("12 connections"));
    EXPECT_FALSE(idle_of({"pgbench"}, "max_connections", point_of(200, {{"idle", "many"}})));
}

} // namespace
} // namespace snapscope
