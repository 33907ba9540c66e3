// The tables of the configuration: one for each section of the file, from which it is read and
// described.
#pragma once

#include "config/config.h"
#include "config/credentials.h"
#include "config/settings.h"

#include <optional>
#include <string>
#include <vector>

namespace sallyport::config {

// The whole file. What concerns several sections (credentials that nobody reads, budgets that
// contradict each other) is checked by check_whole(), when all of it has been read.
[[nodiscard]] Section<Config> const& config_section();
void check_whole(Reader& reader, yaml::Node const& root, Config const& config);

// `IP:PORT` to listen on.
[[nodiscard]] std::optional<Address> read_listening_address(Reader& reader, Value const& value);
// Whether two listeners there would be in each other's way.
[[nodiscard]] bool is_same_place(Address const& a, Address const& b);

[[nodiscard]] SectionInfo const& admin_info();
void read_admin(Reader& reader, Value const& value, Config& out);

[[nodiscard]] SectionInfo const& listener_info();
void read_listeners(Reader& reader, Value const& value, Config& out);

[[nodiscard]] SectionInfo const& upstream_info();
void read_upstreams(Reader& reader, Value const& value, Config& out);

// After the upstreams, whose names it looks up.
[[nodiscard]] SectionInfo const& api_info();
void read_apis(Reader& reader, Value const& value, Config& out);

// The file of credentials.
struct CredentialsFile {
    std::vector<std::string> apis; // those that `allow` may name
    std::vector<Credential> credentials;
};
[[nodiscard]] Section<CredentialsFile> const& credentials_section();

// `allow:` of a credential.
[[nodiscard]] SectionInfo const& allow_info();
void read_allow(Reader& reader, Value const& value, std::vector<std::string> const& apis,
                Allow& out);

} // namespace sallyport::config
