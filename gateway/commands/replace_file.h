// Replaces the content of a file of the operator's, or makes it: readers see the old one, or the
// new one.
#pragma once

#include <string>
#include <string_view>

namespace sallyport::commands {

/// Replaces `before` by `after`, atomically (rename), with the mode and owner that the file has.
/// `path` may be a link, which stays. The result says why it could not be done, and is empty if it
/// was: also if the file does not have the content `before` any more, or another such change is
/// under way.
[[nodiscard]] std::string replace_file(std::string const& path, std::string_view before,
                                       std::string_view after);

/// Makes the file, atomically, with mode 0600. Nothing that has the name is replaced or followed: a
/// link to nowhere neither. The result is as above.
[[nodiscard]] std::string create_file(std::string const& path, std::string_view text);

} // namespace sallyport::commands
