#pragma once

#include <compare>
#include <cstddef>
#include <string>
#include <string_view>

namespace model {

inline constexpr std::size_t kMaxIssuerBytes = 64;
inline constexpr std::size_t kMaxSubjectBytes = 255;

// A visitor from another front end, as named in a ticket. In ratingd, each visitor is one anonymous
// voter.
struct FrontEndVisitor {
  std::string issuer;   // the name of the ticket's key: 1 to 64 characters of [A-Za-z0-9_.-]
  std::string subject;  // the visitor's id at the issuer: 1 to 255 bytes of UTF-8

  auto operator<=>(const FrontEndVisitor&) const = default;
};

// Return whether "text" is a valid issuer or a valid subject.
[[nodiscard]] bool is_issuer(std::string_view text);
[[nodiscard]] bool is_subject(std::string_view text);

}  // namespace model
