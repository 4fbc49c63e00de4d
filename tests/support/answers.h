#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "http/request.h"
#include "json/codec.h"

namespace support {

// Reads members from a response's JSON. If a member is missing, the test fails.
inline json::Value parsed(std::string_view text) {
  auto value = json::parse(text);
  EXPECT_TRUE(value.has_value()) << text << (value ? "" : ": " + value.error().message);
  return value.value_or(json::Value());
}

inline json::Value member(const json::Value& value, std::string_view name) {
  const json::Value* found = value.find(name);
  EXPECT_NE(found, nullptr) << name;
  return found == nullptr ? json::Value() : *found;
}

// Returns the value of a header, or "none".
inline std::string header(const http::Response& response, std::string_view name) {
  for (const http::Header& header : response.headers) {
    if (header.name == name) return header.value;
  }
  return "none";
}

}  // namespace support
