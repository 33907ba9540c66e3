// The file of credentials of a configuration, for the commands that look into it or change it.
#pragma once

#include "config/credentials.h"
#include "config/load.h"
#include "gateway/commands/credentials_text.h"

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace sallyport::config {
class Tables;
}

namespace sallyport::lifecycle {
class ContractCache;
}

namespace sallyport::commands {

/// `to_change`: of a configuration, or a file, that has errors elsewhere too. Another entry is only
/// added to a file that loads; the first one to a file that loads with it, or that is not there
/// yet.
enum class Opened : std::uint8_t { to_add, to_change };

class CredentialFile {
public:
    /// Nullopt: the file is not known, cannot be read, or has problems, which are in `err`.
    /// `tables` must outlive it.
    [[nodiscard]] static std::optional<CredentialFile> open(std::string const& config_path,
                                                            config::Tables const& tables,
                                                            Opened opened, std::ostream& err);

    /// Null, and a suggestion is in `err`: there is none.
    [[nodiscard]] config::Credential const* find(std::string_view name, std::ostream& err) const;
    /// To be changed, then saved.
    [[nodiscard]] CredentialsText& text() noexcept { return text_; }
    /// Replaces the file by the changed text. `problem`: of the change; empty: it was made. False,
    /// and the reason is in `err`: the file is as before. It is not replaced if a gateway would
    /// find a problem in it, by the configuration and its contracts, that it did not have before.
    [[nodiscard]] bool save(std::string const& problem, std::ostream& err);
    /// The same for changes by which no problem can come about: they are made whatever other
    /// problems the configuration has.
    [[nodiscard]] bool save_unjudged(std::string const& problem, std::ostream& err) const;

    [[nodiscard]] std::string const& path() const noexcept { return path_; }
    /// Whether there was no such file.
    [[nodiscard]] bool is_new() const noexcept { return is_new_; }

    /// Loads the configuration with all that it names, as a reload does. Why it does not load, and
    /// so a running gateway does not go by the file; empty: it does.
    [[nodiscard]] std::string reload_problem() const;
    /// A sentence of when a running gateway goes by the saved file, or why it does not:
    /// `problem`, of reload_problem().
    [[nodiscard]] std::string when_applied(std::string const& problem) const;

private:
    CredentialFile(std::string config_path, config::ReadConfig config,
                   config::ReadCredentials credentials, CredentialsText text,
                   config::Tables const& tables, bool is_new);

    std::string config_path_;
    config::ReadConfig config_;
    config::ReadCredentials credentials_; // of the text before, and the htpasswd file
    std::string path_;
    std::string before_;
    CredentialsText text_;
    config::Tables const* tables_;
    bool is_new_;
    bool is_first_;                                       // an entry that is added
    std::shared_ptr<lifecycle::ContractCache> contracts_; // loaded once for both judgements
};

} // namespace sallyport::commands
