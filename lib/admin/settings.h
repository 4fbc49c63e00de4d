#pragma once

#include "admin/arguments.h"
#include "config/config.h"

namespace admin {

// ratingctl settings get [name]: prints "name=value" of all settings, in a form that set takes, or
// the value of one. Returns 1 if a stored value is invalid, which it reports.
int get_settings(const config::Config& config, Arguments arguments);

// ratingctl settings set name=value ...: changes these settings, or none of them if one is wrong,
// which is 2. Lists are separated by commas.
int set_settings(const config::Config& config, Arguments arguments);

// ratingctl settings reset name ... | --all: removes what is stored of these settings, or of all,
// so that the defaults apply; prints each setting with its default. Returns 2 when a name is that
// of no setting and of nothing stored, and unless there is either a name or --all.
int reset_settings(const config::Config& config, Arguments arguments, const Flags& flags);

}  // namespace admin
