#include "runtime/log.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

namespace runtime {
namespace {

using namespace std::chrono_literals;

// Returns the line that "write" writes to standard error, without the leading timestamp.
template <typename Write>
std::string logged(LogLevel least, Write write) {
  testing::internal::CaptureStderr();
  write(Log(least));
  const std::string text = testing::internal::GetCapturedStderr();
  const auto level = text.find(" level=");
  return level == std::string::npos ? text : text.substr(level + 1);
}

TEST(Log, WritesOneLineForAnEvent) {
  EXPECT_EQ(logged(LogLevel::info,
                   [](const Log& log) {
                     log.warning("commit_failed", {{"code", 1213}, {"request", "4f2a"}});
                   }),
            "level=warning event=commit_failed code=1213 request=4f2a\n");
}

TEST(Log, LineBeginsWithTheTimeInUtc) {
  testing::internal::CaptureStderr();
  Log(LogLevel::info).info("started");
  const std::string line = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(line.starts_with("time=20")) << line;
  EXPECT_EQ(line.find("Z level=info event=started\n"),
            std::string("time=2026-11-21T05:00:00.123").size())
      << line;
}

TEST(Log, LeavesOutWhatIsBelowItsLevel) {
  EXPECT_EQ(logged(LogLevel::error, [](const Log& log) { log.warning("unimportant"); }), "");
  EXPECT_EQ(logged(LogLevel::warning, [](const Log& log) { log.error("important"); }),
            "level=error event=important\n");
}

TEST(Log, ForeignTextCannotForgeALineOrAField) {
  EXPECT_EQ(logged(LogLevel::info,
                   [](const Log& log) {
                     log.info("request", {{"agent", "a\nlevel=error b=\"c\\"}, {"empty", ""}});
                   }),
            "level=info event=request agent=\"a\\x0alevel=error b=\\\"c\\\\\" empty=\"\"\n");
}

TEST(Log, WhatIsNoAsciiIsWrittenInHexadecimal) {
  EXPECT_EQ(logged(LogLevel::info,
                   [](const Log& log) {
                     log.info("request", {{"path", "/\xC3\xA9\xFF"}, {"next", "\xC2\x9B\x7F"}});
                   }),
            "level=info event=request path=\"/\\xc3\\xa9\\xff\" next=\"\\xc2\\x9b\\x7f\"\n");
}

TEST(Log, BracesAreNoFormat) {
  EXPECT_EQ(logged(LogLevel::info,
                   [](const Log& log) {
                     log.info("request", {{"path", "/{}%v{0}"}});
                   }),
            "level=info event=request path=/{}%v{0}\n");
}

// Sets JOURNAL_STREAM as systemd does if standard error is connected to the journal.
class JournalStream {
 public:
  JournalStream() {
    struct stat status {};
    fstat(STDERR_FILENO, &status);
    const auto stream = std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino);
    setenv("JOURNAL_STREAM", stream.c_str(), 1);
  }
  JournalStream(const JournalStream&) = delete;
  JournalStream& operator=(const JournalStream&) = delete;
  ~JournalStream() { unsetenv("JOURNAL_STREAM"); }
};

TEST(Log, JournalLearnsThePriorityOfEachLine) {
  testing::internal::CaptureStderr();
  {
    const JournalStream stream;
    const Log log(LogLevel::debug);
    log.error("broken");
    log.warning("late");
    log.info("started");
    log.debug("detail");
  }
  const std::string lines = "\n" + testing::internal::GetCapturedStderr();
  for (const char* begin : {"\n<3>time=", "\n<4>time=", "\n<6>time=", "\n<7>time="}) {
    EXPECT_NE(lines.find(begin), std::string::npos) << begin << " in" << lines;
  }
}

TEST(Log, EveryLineForTheJournalHasThePriority) {
  testing::internal::CaptureStderr();
  {
    const JournalStream stream;
    write_to_stderr(LogLevel::error, "ratingctl: no\nRun it with sudo.\n");
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "<3>ratingctl: no\n<3>Run it with sudo.\n");
}

TEST(Log, OtherReadersSeeNoPriority) {
  testing::internal::CaptureStderr();
  setenv("JOURNAL_STREAM", "1:1", 1);
  write_to_stderr(LogLevel::error, "ratingctl: no");
  Log(LogLevel::info).error("broken");
  unsetenv("JOURNAL_STREAM");
  const std::string lines = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(lines.starts_with("ratingctl: no\ntime=")) << lines;
}

TEST(OnceAMinute, OneEventPassesAlsoAfterAClockThatWasAhead) {
  using namespace std::chrono_literals;
  const base::Time now{1h};
  OnceAMinute limited;
  EXPECT_TRUE(limited.passes(now + 30min));
  EXPECT_FALSE(limited.passes(now + 30min + 59s));
  EXPECT_TRUE(limited.passes(now + 31min));
  EXPECT_TRUE(limited.passes(now));
  EXPECT_FALSE(limited.passes(now - 1s));
}

TEST(Log, LevelsHaveNames) {
  EXPECT_EQ(log_level_named("debug"), LogLevel::debug);
  EXPECT_EQ(log_level_named("info"), LogLevel::info);
  EXPECT_EQ(log_level_named("warning"), LogLevel::warning);
  EXPECT_EQ(log_level_named("error"), LogLevel::error);
  EXPECT_EQ(log_level_named("INFO"), std::nullopt);
}

TEST(Episode, BeginsOnceHoweverOftenTheConditionComesBack) {
  Episode episode(1h);
  EXPECT_FALSE(episode.note_absence());
  EXPECT_TRUE(episode.note());
  EXPECT_FALSE(episode.note());
  EXPECT_FALSE(episode.note_absence());  // too short
  EXPECT_FALSE(episode.note());
}

TEST(Episode, EndsOnceAfterAQuietTime) {
  Episode episode(0ms);
  EXPECT_TRUE(episode.note());
  EXPECT_TRUE(episode.note_absence());
  EXPECT_FALSE(episode.note_absence());
  EXPECT_TRUE(episode.note());
}

}  // namespace

}  // namespace runtime
