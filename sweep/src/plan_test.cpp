#include <snapscope/sweep/plan.hpp>

#include <gmock/gmock.h>
#include <map>
#include <set>

namespace snapscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

SweepSpec some_spec() {
    SweepSpec spec;
    spec.xs = {200, 400, 700};
    spec.modes = {"off", "copy"};
    spec.variables = {{"idle", {"0", "fill"}}};
    spec.repeats = 4;
    spec.seed = 7;
    return spec;
}

std::string key(const SweepPoint& point) {
    return std::to_string(point.x) + point.mode + variable_of(point, "idle");
}

TEST(ParseValues, takes_a_range_with_both_ends_a_list_and_one_number) {
    EXPECT_THAT(*parse_values("200:1000:400", "--x"), ElementsAre(200, 600, 1000));
    EXPECT_THAT(*parse_values("200:999:400", "--x"), ElementsAre(200, 600));
    EXPECT_THAT(*parse_values("700,200", "--x"), ElementsAre(200, 700));
    EXPECT_THAT(*parse_values("5", "--x"), ElementsAre(5));
    EXPECT_THAT(*parse_values("4294967295:4294967295:1", "--x"), ElementsAre(4294967295U));
}

TEST(ParseValues, refuses_anything_else_and_names_the_option) {
    for (const auto* text : {"", ",", "200,", "a", "1:2", "1:2:0", "5:1:1", "1:2:3:4", "1,1", "-1", "1.5", "1:100000:1",
                             "99999999999", " 1"}) {
        const auto values = parse_values(text, "--max-connections");
        ASSERT_FALSE(values) << text;
        EXPECT_EQ(values.error().error_class, ErrorClass::usage);
        EXPECT_THAT(values.error().what, HasSubstr("--max-connections"));
    }
}

TEST(Plan, holds_every_combination_once_a_repeat) {
    const auto points = plan_points(some_spec());
    ASSERT_EQ(points.size(), 3 * 2 * 2 * 4U);
    std::map<std::string, std::set<std::uint32_t>> repeats;
    for (std::size_t i = 0; i < points.size(); ++i) {
        EXPECT_EQ(points[i].order, i);
        EXPECT_EQ(points[i].state, PointState::planned);
        EXPECT_TRUE(repeats[key(points[i])].insert(points[i].repeat).second);
    }
    EXPECT_EQ(repeats.size(), 12U);
    for (const auto& [name, of_one] : repeats)
        EXPECT_EQ(of_one.size(), 4U) << name;
}

TEST(Plan, gives_every_combination_the_same_mean_place_over_a_pair_of_repeats) {
    std::map<std::string, std::uint32_t> places;
    for (const auto& point : plan_points(some_spec()))
        places[key(point)] += point.order;
    for (const auto& [name, sum] : places)
        EXPECT_EQ(sum, places.begin()->second) << name;
}

TEST(Plan, depends_on_the_seed_and_on_nothing_else) {
    auto spec = some_spec();
    const auto order_of = [](const std::vector<SweepPoint>& points) {
        std::string text;
        for (const auto& point : points)
            text += key(point) + " ";
        return text;
    };
    const auto first = order_of(plan_points(spec));
    EXPECT_EQ(first, order_of(plan_points(spec)));
    std::set<std::string> orders;
    for (spec.seed = 0; spec.seed < 20; ++spec.seed)
        orders.insert(order_of(plan_points(spec)));
    EXPECT_GT(orders.size(), 18U);
}

// So that a seed of an older version still means its order.
TEST(Plan, keeps_the_order_of_a_seed) {
    SweepSpec spec;
    spec.xs = {1, 2, 3, 4, 5};
    spec.seed = 1;
    std::vector<double> order;
    for (const auto& point : plan_points(spec))
        order.push_back(point.x);
    EXPECT_THAT(order, ElementsAre(3, 2, 5, 4, 1));
}

TEST(Plan, names_runs_apart_and_without_what_a_folder_may_not_hold) {
    std::set<std::string> names;
    for (auto point : plan_points(some_spec())) {
        point.variables.push_back({"server", "../a b/ü"});
        const auto name = run_name(point);
        EXPECT_EQ(name.find_first_of("/ \n"), std::string::npos) << name;
        EXPECT_NE(name.front(), '.');
        EXPECT_TRUE(name.ends_with(".snap"));
        EXPECT_TRUE(names.insert(name).second) << name;
    }
}

TEST(Plan, is_the_same_only_with_the_same_points_in_the_same_order) {
    SweepFile a;
    a.x = "max_connections";
    a.seed = 7;
    a.points = plan_points(some_spec());
    auto b = a;
    b.points[3].state = PointState::failed;
    EXPECT_TRUE(same_plan(a, b)) << "what came of a point is no part of the plan";
    b.points[3].variables[0].value = "1";
    EXPECT_FALSE(same_plan(a, b));
    b = a;
    b.points.pop_back();
    EXPECT_FALSE(same_plan(a, b));
    b = a;
    b.seed = 8;
    EXPECT_FALSE(same_plan(a, b));
}

} // namespace
} // namespace snapscope
