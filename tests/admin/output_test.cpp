#include "admin/output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>

#include "base/descriptor.h"

namespace {

// Returns the output of print_text() on a terminal with "columns" columns.
std::string printed_on_terminal(const std::string& text, unsigned short columns) {
  const winsize size{.ws_row = 0, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
  int screen = -1;
  int terminal = -1;
  EXPECT_EQ(openpty(&screen, &terminal, nullptr, nullptr, &size), 0);
  std::FILE* const out = fdopen(terminal, "w");
  admin::print_text(text, out);
  std::fclose(out);
  std::string printed;
  std::array<char, 1000> buffer{};
  // A read() may return only part of the output. The last read() fails because the terminal is
  // closed.
  for (ssize_t length = 0; (length = read(screen, buffer.data(), buffer.size())) > 0;) {
    printed.append(buffer.data(), static_cast<std::size_t>(length));
  }
  close(screen);
  return printed;
}

TEST(Wrapped, ContinuesAfterASpaceThatFits) {
  EXPECT_EQ(admin::wrapped("one two three", 9), "one two\nthree");
  EXPECT_EQ(admin::wrapped("one two three", 13), "one two three");
  EXPECT_EQ(admin::wrapped("a\n\nb\n", 9), "a\n\nb");
  EXPECT_EQ(admin::wrapped("a-long-word is-not-divided", 5), "a-long-word\nis-not-divided");
}

TEST(Wrapped, ContinuesBelowTheTextOfATableOrAList) {
  EXPECT_EQ(admin::wrapped("ok    secret    one two three", 24),
            "ok    secret    one two\n                three");
  EXPECT_EQ(admin::wrapped("  1. one two three", 12), "  1. one two\n     three");
  EXPECT_EQ(admin::wrapped(" 10. one two three", 12), " 10. one two\n     three");
}

TEST(Wrapped, EndsIfTheTerminalIsNarrowerThanTheColumns) {
  EXPECT_EQ(admin::wrapped("ok    secret    one two", 1),
            "ok    secret    one\n                two");
}

TEST(PrintText, WrapsToTheTerminal) {
  EXPECT_EQ(printed_on_terminal("one two three", 9), "one two\r\nthree\r\n");
}

// In containers and in Emacs, a terminal's width may be unknown (0 columns).
TEST(PrintText, TerminalWithoutAWidthGetsLinesOfAtMostAHundredCharacters) {
  const std::string word(60, 'a');
  EXPECT_EQ(printed_on_terminal(word + " " + word, 0), word + "\r\n" + word + "\r\n");
}

TEST(Wrapped, KeepsCommandsTogether) {
  EXPECT_EQ(admin::wrapped("gone; run: systemctl status ratingd.socket; it says why", 20),
            "gone; run:\nsystemctl status ratingd.socket;\nit says why");
  EXPECT_EQ(admin::wrapped("  curl -d 1 https://example.org/", 20),
            "  curl -d 1 https://example.org/");
}

// Replaces standard error with another file while an object of this class exists.
class StandardError {
 public:
  explicit StandardError(const base::Descriptor& file) { dup2(file.number(), STDERR_FILENO); }
  StandardError(const StandardError&) = delete;
  StandardError& operator=(const StandardError&) = delete;
  ~StandardError() {
    dup2(own_.number(), STDERR_FILENO);
    std::clearerr(stderr);
  }

 private:
  const base::Descriptor own_{dup(STDERR_FILENO)};
};

TEST(Progress, IgnoresThatStandardErrorCannotBeWritten) {
  const StandardError full(base::Descriptor(open("/dev/full", O_WRONLY | O_CLOEXEC)));
  admin::Progress progress("working");
  EXPECT_NO_THROW(progress(1, 2));
}

TEST(Progress, IgnoresThatTheTerminalIsClosed) {
  int screen = -1;
  int terminal = -1;
  ASSERT_EQ(openpty(&screen, &terminal, nullptr, nullptr, nullptr), 0);
  const StandardError closed{base::Descriptor(terminal)};
  admin::Progress progress("working");
  close(screen);
  EXPECT_NO_THROW(progress(1, 2));
}

}  // namespace
