// Part of `check`: the rights of another user: see service_user.h.
#include "gateway/commands/service_user.h"

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace sallyport::commands {

namespace {

constexpr char const* of_the_package = "sallyport";

[[noreturn]] void fail(ServiceUser const& user) {
    throw std::system_error{errno, std::system_category(),
                            "the rights of the user " + user.name + " cannot be taken"};
}

} // namespace

std::optional<ServiceUser> find_user(std::string const& name) {
    auto const* const found = ::getpwnam(name.c_str());
    if (found == nullptr) return std::nullopt;
    return ServiceUser{name, found->pw_uid, found->pw_gid};
}

std::optional<ServiceUser> find_service_user(std::string const& path) {
    if (::geteuid() != 0 || path == "-") return std::nullopt;
    auto user = find_user(of_the_package);
    if (!user || user->id == 0) return std::nullopt;
    struct stat folder {};
    std::error_code error;
    auto const file = std::filesystem::absolute(path, error);
    if (error || ::stat(file.parent_path().c_str(), &folder) != 0) return std::nullopt;
    if (folder.st_uid != user->id && folder.st_gid != user->group) return std::nullopt;
    try {
        InPlaceOf const tried{*user};
    } catch (std::system_error const&) {
        return std::nullopt; // root of a container that may not change its user
    }
    return user;
}

InPlaceOf::InPlaceOf(ServiceUser const& user)
    : groups_(static_cast<std::size_t>(::getgroups(0, nullptr))), group_{::getegid()} {
    if (::getgroups(static_cast<int>(groups_.size()), groups_.data()) < 0) fail(user);
    if (::initgroups(user.name.c_str(), user.group) != 0) fail(user);
    // The user last: it takes the capability for the rest.
    if (::setegid(user.group) != 0 || ::seteuid(user.id) != 0) {
        auto const error = errno;
        bool const is_restored =
            ::setegid(group_) == 0 && ::setgroups(groups_.size(), groups_.data()) == 0;
        if (!is_restored) std::abort();
        errno = error;
        fail(user);
    }
}

// A process that went on with the rights of two users could not be trusted.
InPlaceOf::~InPlaceOf() {
    bool const is_restored = ::seteuid(0) == 0 && ::setegid(group_) == 0
                             && ::setgroups(groups_.size(), groups_.data()) == 0;
    if (!is_restored) std::abort();
}

} // namespace sallyport::commands
