// Reads htpasswd files: users and hashes of their passwords, as Apache and nginx have them.
#pragma once

#include "config/yaml.h"
#include "gateway/secrets/stored_hash.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::config {

struct HtpasswdUser {
    std::string name;
    secrets::StoredHash hash;
    yaml::Mark mark; // of the line
};

struct ReadHtpasswd {
    std::vector<HtpasswdUser> users; // in the order of the file, without those that are refused
    yaml::Problems problems;         // they repeat no hash
};

inline constexpr std::size_t most_htpasswd_bytes = std::size_t{16} << 20;
inline constexpr std::size_t most_htpasswd_users = 100'000;
inline constexpr std::size_t longest_htpasswd_name = 256; // bytes, as of a key id

/// A line a user: `name:hash`, or `name:hash:comment` as nginx reads it; blank lines, and lines
/// that begin with `#`. A file without users is none of an error: its last one must not stay in
/// force. A name is text in UTF-8 without control characters, and stands once.
/// `path`: for the marks.
[[nodiscard]] ReadHtpasswd read_htpasswd(std::string_view text, std::string const& path);

} // namespace sallyport::config
