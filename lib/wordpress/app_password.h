#pragma once

#include <string_view>

namespace wordpress {

// Whether "password" is one of the application passwords in "list", the text of a user's
// _application_passwords in usermeta (empty if there is none; of several rows the one with the
// lowest umeta_id). Blanks in the password do not count: WordPress shows it in groups of four.
//
// An entry is known by its hash alone: keys need not be 0, 1, 2 ... and other fields may be
// missing. A damaged list holds no passwords. (class-wp-application-passwords.php,
// check_password)
//
// Nothing is written: last_used stays as it is.
//
// Entries that WordPress made before 6.8 take some milliseconds of processor time each.
[[nodiscard]] bool is_app_password(std::string_view password, std::string_view list);

// For a password that is none of those in "list" (empty for a name that nobody has): works as long
// as is_app_password() does with one entry from before 6.8, unless there was such an entry. So the
// time does not tell who exists. (It still tells of somebody with several such entries.)
void equalize_timing_of_app_passwords(std::string_view password, std::string_view list);

}  // namespace wordpress
