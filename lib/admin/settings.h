#pragma once

#include "admin/words.h"
#include "config/config.h"

namespace admin {

// ratingctl settings get [name]: prints "name=value" of all settings, in a form that set takes, or
// the value of one. Returns 1 when something stored does not count, and says so.
int get_settings(const config::Config& config, Words words);

// ratingctl settings set name=value ...: changes these settings, or none of them if one is wrong,
// which is 2, or if what is stored of one is damaged, which is 1. Lists are separated by commas.
int set_settings(const config::Config& config, Words words);

// ratingctl settings reset name ...: removes what is stored of these settings, so that the defaults
// count. Returns 2 when a name is that of no setting and of nothing stored.
int reset_settings(const config::Config& config, Words words);

}  // namespace admin
