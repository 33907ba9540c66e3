// Part of `check`: the rights of the user as whom a service runs, while root checks.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace sallyport::commands {

struct ServiceUser {
    std::string name;
    uid_t id = 0;
    gid_t group = 0;
};

/// Null: this machine has no such user.
[[nodiscard]] std::optional<ServiceUser> find_user(std::string const& name);

/// The user of the package's service, if the configuration is its own: if the folder of `path`
/// belongs to it or to its group. Null for others, and where this process may not take its rights.
[[nodiscard]] std::optional<ServiceUser> find_service_user(std::string const& path);

/// Takes the rights of a user for as long as it exists: of the whole process, so that there is one
/// at a time, and only of root. Throws if they cannot be had.
class InPlaceOf {
public:
    explicit InPlaceOf(ServiceUser const& user);
    ~InPlaceOf();
    InPlaceOf(InPlaceOf const&) = delete;
    InPlaceOf& operator=(InPlaceOf const&) = delete;

private:
    std::vector<gid_t> groups_; // before
    gid_t group_;
};

} // namespace sallyport::commands
