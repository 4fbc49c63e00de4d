#pragma once

#include <string_view>

namespace wordpress {

// Whether "password" is one of the application passwords in "list", the user's
// _application_passwords in usermeta (empty without one; of several rows the one with the lowest
// umeta_id). Spaces in the password are ignored: WordPress shows it in groups of four.
//
// Only the hash of an entry is used: keys need not be 0, 1, 2 ... and other fields may be missing.
// A damaged list has no passwords. (class-wp-application-passwords.php, check_password)
//
// Does not write: last_used does not change.
//
// Entries from before WordPress 6.8 take some milliseconds of CPU time each.
[[nodiscard]] bool is_app_password(std::string_view password, std::string_view list);

// Called for a password that is not in "list" (empty for an unknown user): takes the CPU time of
// is_app_password() with one entry from before 6.8, unless the list had such an entry. So the time
// does not reveal whether a user exists. (It still reveals users with several such entries.)
void equalize_timing_of_app_passwords(std::string_view password, std::string_view list);

}  // namespace wordpress
