#pragma once

#include "admin/arguments.h"
#include "config/config.h"

namespace admin {

// ratingctl ticket-key add NAME: adds a key to the secret file. Prints a new shared secret, and
// nothing else, to standard output; with --public-key, nothing. What to do next goes to standard
// error. A second key of a name has the rights and flags of the first unless some are given.
int add_ticket_key(const config::Config& config, Arguments arguments, const Flags& flags);

// ratingctl ticket-key list: prints all keys but what they consist of.
int list_ticket_keys(const config::Config& config);

// ratingctl ticket-key remove NAME: removes the only key of this name. If there are two, --older or
// --added must say which.
int remove_ticket_key(const config::Config& config, Arguments arguments, const Flags& flags);

}  // namespace admin
