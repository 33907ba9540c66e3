// The file of credentials of a configuration, for the commands that look into it or change it.
#pragma once

#include "config/config.h"
#include "config/credentials.h"
#include "gateway/commands/credentials_text.h"

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::config {
class Tables;
}

namespace sallyport::commands {

class CredentialFile {
public:
    /// Nullopt: the configuration or the file has problems, which are in `err`. `tables` must
    /// outlive it.
    [[nodiscard]] static std::optional<CredentialFile>
    open(std::string const& config_path, config::Tables const& tables, std::ostream& err);

    /// Null, and a suggestion is in `err`: there is none.
    [[nodiscard]] config::Credential const* find(std::string_view name, std::ostream& err) const;
    /// To be changed, then saved.
    [[nodiscard]] CredentialsText& text() noexcept { return text_; }
    /// Replaces the file by the changed text. `problem`: of the change; empty: it was made. False,
    /// and the reason is in `err`: the file is as before.
    [[nodiscard]] bool save(std::string const& problem, std::ostream& err) const;

    [[nodiscard]] std::string const& path() const noexcept { return path_; }
    /// When a running gateway goes by the changed file: a sentence.
    [[nodiscard]] std::string_view when_applied() const noexcept;

private:
    CredentialFile(config::Config config, std::vector<config::Credential> credentials,
                   std::string text, config::Tables const& tables);

    config::Config config_;
    std::vector<config::Credential> credentials_;
    std::string path_;
    std::string before_;
    CredentialsText text_;
    config::Tables const* tables_;
};

} // namespace sallyport::commands
