#include "model/object_set.h"

#include <gtest/gtest.h>

namespace model {
namespace {

TEST(ObjectSet, HasObjectsByTypeAndIdOnce) {
  const ObjectSet objects = {{7, "post"}, {3, "post"}, {7, "post"}, {3, "song"}};
  EXPECT_EQ(objects.size(), 3U);
  EXPECT_TRUE(objects.contains("post", 3));
  EXPECT_TRUE(objects.contains("song", 3));
  EXPECT_FALSE(objects.contains("song", 7));
  EXPECT_FALSE(objects.contains("page", 3));
  EXPECT_FALSE(ObjectSet().contains("post", 3));
}

}  // namespace
}  // namespace model
