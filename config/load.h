// Reads the configuration and the credentials: documents to structs, with every problem at once.
//
// Reading checks syntax and meaning; of the file system it touches only what `${file:...}` names.
// The files that the configuration refers to (certificates, contracts) are opened by the code that
// uses them, which reports problems at their Origin.
#pragma once

#include "config/authenticator.h"
#include "config/config.h"
#include "config/credentials.h"
#include "config/resolver.h"
#include "config/yaml.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::config {

class Tables;

/// In place of a path: standard input. Relative paths in it begin at the working directory.
inline constexpr std::string_view standard_input = "-";

/// With errors among the problems `config` is not fit for use; warnings alone do not forbid it.
struct ReadConfig {
    Config config;
    yaml::Problems problems;         // by place
    std::vector<LeftOpen> left_open; // with Expansion::left_open
    std::vector<File> secret_files;  // of `${file:...}` in secrets
    /// Included ones, and the folders of patterns as `folder/.`, at the entries of `include`; also
    /// those that are missing.
    std::vector<File> included_files;
    [[nodiscard]] bool has_errors() const { return yaml::has_errors(problems); }
};

struct ReadCredentials {
    std::vector<Credential> credentials; // those of the file, then the users of the htpasswd file
    std::optional<Credential> htpasswd;  // what such users have in common
    std::vector<std::shared_ptr<Role const>> roles; // all of the file
    yaml::Problems problems;
    std::vector<LeftOpen> left_open;
    bool is_empty = false; // the file has nothing, also for users of htpasswd
    [[nodiscard]] bool has_errors() const { return yaml::has_errors(problems); }
};

/// `not_there`: where a configuration is looked at without the machine that runs it.
enum class WithHtpasswd : std::uint8_t { read, not_there };

/// Of a file that cannot be read, for `reason`: at the key that names it.
[[nodiscard]] yaml::Problem unreadable(File const& file, std::string const& reason);

/// `folder`: where relative paths begin. What the document includes is not read: it may lack what
/// others have.
[[nodiscard]] ReadConfig read_config(yaml::Document const& document, std::string const& folder,
                                     Tables const& tables, Resolver const& resolver);
/// With the files that it includes. If one of them is missing, cannot be read or parsed, the
/// problems are those of the documents alone, and of the configuration only `admin` is known, so
/// that a running gateway is still found.
[[nodiscard]] ReadConfig load_config(std::string const& path, Tables const& tables,
                                     Resolver const& resolver = system_resolver());

/// `apis`: those that `allow` may name; none: they are not known, and any name may stand there.
/// `roles_of_tokens`: those that the configuration gives to tokens, so that they are not without
/// use.
[[nodiscard]] ReadCredentials
read_credentials(yaml::Document const& document, std::string const& folder,
                 std::vector<std::string> const& apis, Tables const& tables,
                 Resolver const& resolver, std::vector<std::string> const& roles_of_tokens = {});
/// Those of a configuration.
[[nodiscard]] std::vector<std::string> roles_of_tokens(Config const& config,
                                                       Authenticators authenticators);
/// The same of a text that is to become, or was, the file of credentials of a configuration, with
/// the users of its htpasswd file. The configuration names a file of credentials.
[[nodiscard]] ReadCredentials read_credentials_of(Config const& config, std::string_view text,
                                                  Tables const& tables,
                                                  Resolver const& resolver = system_resolver(),
                                                  WithHtpasswd with = WithHtpasswd::read);
/// The credentials file of a configuration, and its htpasswd file; without one (every API is
/// anonymous) there are none. If a file cannot be opened, the problem is at the key that names it.
[[nodiscard]] ReadCredentials load_credentials(Config const& config, Tables const& tables,
                                               Resolver const& resolver = system_resolver(),
                                               WithHtpasswd with = WithHtpasswd::read);

} // namespace sallyport::config
