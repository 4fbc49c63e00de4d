#pragma once

#include "admin/arguments.h"

namespace admin {

// ratingctl backup [--with-secret] FILE
int backup(const config::Config& config, Arguments arguments, const Flags& flags);

// ratingctl restore [--replace] [--with-secret | --keep-secret] FILE
int restore(const config::Config& config, Arguments arguments, const Flags& flags);

}  // namespace admin
