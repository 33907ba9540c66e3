// Part of `check`: files of secrets that are accessible to others: see check_warnings.h.
#include "gateway/commands/check_warnings.h"

#include "config/text.h"

#include <sys/stat.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <set>
#include <system_error>
#include <variant>

namespace sallyport::commands {

namespace {

namespace fs = std::filesystem;
using config::yaml::Severity;

// Access of users who are neither the owner nor in the group: every folder on the path must let
// them pass. Folders with mode 0700 or 0750, as in the package, protect everything inside.
struct OnTheWay {
    bool others_pass = true;
    std::string open_folder; // in which they can replace the file
};

OnTheWay look_at_folders(fs::path const& folder) {
    OnTheWay way;
    fs::path at;
    for (auto const& name : folder) {
        at /= name;
        struct stat found {};
        if (::stat(at.c_str(), &found) != 0) continue;
        if ((found.st_mode & S_IXOTH) == 0) way.others_pass = false;
        // In a folder with the sticky bit only the owner of a file can rename or remove it.
        bool const is_open = (found.st_mode & S_IWOTH) != 0 && (found.st_mode & S_ISVTX) == 0;
        if (way.others_pass && is_open && way.open_folder.empty()) way.open_folder = at.string();
    }
    return way;
}

std::string octal(mode_t mode) {
    std::array<char, 8> text{};
    std::snprintf(text.data(), text.size(), "%04o", static_cast<unsigned>(mode & 07777U));
    return text.data();
}

void look_at(config::File const& file, std::string const& what, config::yaml::Problems& problems) {
    std::error_code error;
    auto const real = fs::canonical(file.path, error);
    struct stat found {};
    // A pipe or a device contains no secret.
    if (error || ::stat(real.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return;
    auto const way = look_at_folders(real.parent_path());
    auto const report = [&](std::string problem, std::string hint) {
        problems.push_back(config::problem_at(file.origin, file.path + ": " + std::move(problem),
                                              std::move(hint), Severity::warning));
    };
    std::string const mode = " (mode " + octal(found.st_mode) + ")";
    bool const others_read = way.others_pass && (found.st_mode & S_IROTH) != 0;
    bool const others_write = way.others_pass && (found.st_mode & S_IWOTH) != 0;
    if (others_read || others_write) {
        std::string const how = others_read && others_write ? "read and change "
                                : others_read               ? "read "
                                                            : "change ";
        report("every user of this machine can " + how + what + mode, "chmod o-rwx " + file.path);
    }
    if ((found.st_mode & S_IWGRP) != 0)
        report("its group can change " + what + mode, "chmod g-w " + file.path);
    if (!way.open_folder.empty())
        report("every user of this machine can put another file in its place: the folder "
                   + way.open_folder + " is open for writing",
               "chmod o-w " + way.open_folder);
}

} // namespace

config::yaml::Problems warn_of_files(config::Config const& config,
                                     std::vector<config::File> const& secret_files) {
    config::yaml::Problems problems;
    std::set<std::string> seen; // a key may belong to several listeners
    auto const look = [&](config::File const& file, std::string const& what) {
        if (seen.insert(file.path).second) look_at(file, what, problems);
    };
    for (auto const& listener : config.listeners) {
        if (!listener.tls) continue;
        for (auto const& certificate : listener.tls->certificates)
            look(certificate.private_key, "the private key");
    }
    if (config.credentials.file) look(*config.credentials.file, "the credentials");
    auto const look_at_key = [&look](std::optional<config::CallerFields> const& told) {
        if (told && told->assertion && told->assertion->key)
            look(*told->assertion->key, "the private key");
    };
    for (auto const& api : config.apis)
        look_at_key(api.identity);
    for (auto const& upstream : config.upstreams) {
        look_at_key(upstream.identity);
        if (upstream.tls.certificate)
            look(upstream.tls.certificate->private_key, "the private key");
        if (auto const* const token = std::get_if<config::UpstreamTokenFile>(&upstream.credential))
            look(token->file, "the token");
    }
    if (config.credentials.htpasswd) look(*config.credentials.htpasswd, "the users");
    for (auto const& file : secret_files)
        look(file, "the secret");
    return problems;
}

} // namespace sallyport::commands
