#include "setup/step.h"

#include <gtest/gtest.h>

#include <csignal>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using setup::Step;

class Steps : public ::testing::Test {
 protected:
  // Returns a step that records its calls in "done_". If "fails" is true, the step fails.
  Step step(const std::string& name, bool fails = false, bool fails_to_undo = false) {
    return {{name},
            [this, name, fails] {
              done_.push_back("+" + name);
              if (fails) throw setup::Error(name + " failed");
            },
            [this, name, fails_to_undo] {
              done_.push_back("-" + name);
              if (fails_to_undo) throw std::runtime_error("stuck");
            }};
  }
  void apply(const setup::Steps& steps) {
    setup::apply(steps, [this](const std::string& sentence) { said_.push_back(sentence); });
  }

  std::vector<std::string> done_;
  std::vector<std::string> said_;
};

TEST_F(Steps, AreAppliedInTheirOrder) {
  apply({step("a"), step("b")});
  EXPECT_EQ(done_, (std::vector<std::string>{"+a", "+b"}));
}

TEST_F(Steps, ThatHaveNothingToDoAreLeftOut) {
  Step idle = step("idle");
  idle.actions.clear();
  EXPECT_EQ(setup::actions_of({step("a"), idle, step("b")}), (std::vector<std::string>{"a", "b"}));
  EXPECT_THROW(apply({idle, step("b", true)}), setup::Error);
  EXPECT_EQ(done_, (std::vector<std::string>{"+b", "-b"}));
}

TEST_F(Steps, AreUndoneFromTheFailedOneBackwards) {
  EXPECT_THROW(apply({step("a"), step("b"), step("c", true), step("d")}), setup::Error);
  EXPECT_EQ(done_, (std::vector<std::string>{"+a", "+b", "+c", "-c", "-b", "-a"}));
  EXPECT_TRUE(said_.empty());
}

TEST_F(Steps, ThatCannotBeUndoneAreReportedAndTheOthersStillAreUndone) {
  EXPECT_THROW(apply({step("a"), step("b", false, true), step("c", true)}), setup::Error);
  EXPECT_EQ(done_, (std::vector<std::string>{"+a", "+b", "+c", "-c", "-b", "-a"}));
  ASSERT_EQ(said_.size(), 1U);
  EXPECT_EQ(said_.front(), "This could not be undone: b: stuck");
}

TEST_F(Steps, SayWhatRemainsOfThem) {
  Step granted = step("b");
  granted.actions.front() += "\nmore";
  granted.remains = "the rights stay";
  Step later = step("d");
  later.remains = "nothing";
  EXPECT_THROW(apply({step("a"), granted, step("c", true), later}), setup::Error);
  EXPECT_EQ(said_, std::vector<std::string>{"This is not undone: b: the rights stay."});
  said_.clear();
  Step failed = step("c", true);
  failed.remains = "some rights stay";
  EXPECT_THROW(apply({failed}), setup::Error);
  EXPECT_EQ(said_, std::vector<std::string>{"This may not be undone: c: some rights stay."});
}

TEST_F(Steps, AsOneUndoWhatTheyBegan) {
  const Step one = setup::as_one({step("a"), Step{}, step("b", true), step("c")}, {"x"});
  EXPECT_EQ(one.actions, std::vector<std::string>{"x"});
  EXPECT_THROW(one.apply(), setup::Error);
  one.undo();
  EXPECT_EQ(done_, (std::vector<std::string>{"+a", "+b", "-b", "-a"}));
  EXPECT_TRUE(setup::as_one({Step{}}, {"x"}).actions.empty());
}

TEST_F(Steps, ThatNeedAReloadGetItAfterwardsAndWhenTheyAreUndone) {
  const auto reload = [this] { done_.emplace_back("reload"); };
  const Step changed =
      setup::as_one(setup::with_reload({step("a"), step("b")}, reload), {"change a and b"});
  EXPECT_THROW(apply({changed, step("c", true)}), setup::Error);
  EXPECT_EQ(done_,
            (std::vector<std::string>{"+a", "+b", "reload", "+c", "-c", "-b", "-a", "reload"}));
  Step idle = step("idle");
  idle.actions.clear();
  EXPECT_TRUE(setup::with_reload({idle}, reload).empty());
}

TEST_F(Steps, AreUndoneWhenTheOperatorInterrupts) {
  Step interrupted = step("b");
  interrupted.apply = [this] {
    std::raise(SIGINT);
    done_.emplace_back("+b");  // a running step is not interrupted
  };
  EXPECT_THROW(apply({step("a"), interrupted, step("c")}), setup::Error);
  EXPECT_EQ(done_, (std::vector<std::string>{"+a", "+b", "-b", "-a"}));
}

}  // namespace
