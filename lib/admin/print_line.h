#pragma once

#include <cstdio>
#include <string>

namespace admin {

// Prints what may have foreign text in it, of files, databases, their servers or requests: with
// base::printable_lines(), and a line feed.
void print_line(const std::string& text, std::FILE* out = stdout);

}  // namespace admin
