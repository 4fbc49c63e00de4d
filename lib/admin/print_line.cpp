#include "admin/print_line.h"

#include "base/bytes.h"

namespace admin {

void print_line(const std::string& text, std::FILE* out) {
  std::fputs((base::printable_lines(text) + "\n").c_str(), out);
}

}  // namespace admin
