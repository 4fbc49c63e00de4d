#pragma once

#include "admin/arguments.h"
#include "config/config.h"

namespace admin {

// ratingctl setup: from the installed package to the first vote, or with --remove back, except for
// the votes and the secret. Shows what it will do and asks once; may be repeated. If a step fails,
// those before it are undone. Does not use "config", which is not read for it.
//
// Returns 0, 1 if a step failed, if something is left for the operator to do first or if the
// operator says no, 2 for flags that make no sense. Errors: exceptions with a sentence for the
// operator; nothing is changed then.
int setup(const config::Config& config, const Flags& flags);

// ratingctl reload: replaces the running workers one after the other. Does not use "config", which
// is not read for it. Returns 0. Errors: exceptions with a sentence for the operator: a new worker
// did not become ready, and the others were kept.
int reload(const config::Config& config, const Flags& flags);

}  // namespace admin
