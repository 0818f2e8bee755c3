// What cannot be meant is exit 2 and one line, whatever else is wrong.
#include "program.hpp"

namespace snapscope::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Usage : public ProgramTest {
  protected:
    // One line on stderr that says WHY, and nothing done.
    void refused(const Words& words, const std::string& why) const {
        const auto outcome = run(words);
        const auto command = command_line(words);
        EXPECT_EQ(outcome.status, 2) << command << "\n" << outcome.err;
        EXPECT_EQ(lines_in(outcome.err), 1) << command << "\n" << outcome.err;
        EXPECT_THAT(outcome.err, HasSubstr(why)) << command;
        EXPECT_EQ(outcome.out, "") << command;
    }
};

TEST_F(Usage, ADurationIsAFiniteTimeThatAClockCanCount) {
    for (const char* duration : {"nan", "inf", "-inf", "-5", "0", "1e-9", "1e12", "1e300", "abc", "", "5s"})
        refused({"record", "-d", duration}, "is no number from 0.001 to 31536000");
    EXPECT_THAT(names(), IsEmpty());
}

TEST_F(Usage, NumbersAreToldTheirRangeInWords) {
    for (const char* pid : {"abc", "0", "-5", "1.5", "99999999999"})
        for (const char* verb : {"record", "doctor"})
            refused({verb, "--pid", pid}, std::string("'") + pid + "' is no whole number from 1 to 2147483647");
    refused({"doctor", "--port", "65536"}, "'65536' is no whole number from 1 to 65535");
    refused({"record", "--interval", "1"}, "'1' is no whole number from 10 to 3600000");
    for (const char* percent : {"0", "-1%", "101%", "%", "2%%", "two", ""})
        refused({"record", "--overhead", percent}, "is no percentage from 0.01 to 100");
}

TEST_F(Usage, AListOfSourcesHasKnownNamesEachOnce) {
    for (const char* list : {",", "ring,,sql", "ring,"})
        refused({"record", "--source", list}, "empty name");
    refused({"record", "--source", "ring,ring"}, "ring is named twice");
    refused({"record", "--source", "ring,rong"}, "unknown source rong");
    refused({"record", "--source", "sql", "--events"}, "none records events");
}

TEST_F(Usage, WordsToWatchAreNamedOneByOne) {
    refused({"record", "--watch", "pgxact"}, "--watch: 'pgxact' is no word that can be watched");
    refused({"record", "--watch", "lock,slot:1:xid,lock"}, "lock is named twice");
    refused({"record", "--watch", "lock", "--source", "ring"}, "--source leaves out");
    refused({"record", "--watch", ""}, "it is given, and empty");
}

TEST_F(Usage, AnEmptyWordIsNotTheDefault) {
    for (const Words& words :
         {Words{"record", "--source", ""}, Words{"record", "-o", ""}, Words{"record", "--pair", ""},
          Words{"doctor", "--pgdata", ""}, Words{"doctor", "--port", "1", "--host", ""},
          Words{"export", "x.snap", "--format", "perfetto", "-o", ""}, Words{"diff", "a", "--against", "b", "-o", ""}})
        refused(words, "it is given, and empty");
    EXPECT_THAT(names(), IsEmpty());
}

TEST_F(Usage, ItComesBeforeWhatElseIsWrong) {
    std::filesystem::create_directory(path("there.snap"));
    refused({"record", "-o", "there.snap", "--source", "rong"}, "unknown source");
    refused({"record", "-o", "there.snap", "-d", "nan"}, "is no number");
    refused({"record", "-o", "there.snap", "--pid", "1", "--port", "5432"}, "exclude each other");
    refused({"record", "-o", "there.snap", "--host", "/tmp"}, "--host needs --port");
    refused({"record", "-o", "there.snap", "--pair", "x"}, "SERIES:ROUND:POSITION");
    refused({"record", "-o", "there.snap", "--pid", "1", "--dsn", "what"}, "--dsn");
    refused({"record", "-o", "there"}, "must end in .snap");
    refused({"doctor", "--dsn", "what"}, "--dsn");
    refused({"doctor", "--host", "/tmp"}, "--host needs --port");
    put("there.json", "");
    refused({"export", "none.snap", "--format", "nonsense", "-o", "there.json"}, "nonsense");
    EXPECT_THAT(names(), ElementsAre("there.json", "there.snap"));
}

} // namespace
} // namespace snapscope::test
