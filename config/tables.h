// The tables of both files, with what the authenticators add to them.
#pragma once

#include "config/authenticator.h"
#include "config/discretion.h"
#include "config/sections.h"

#include <memory>
#include <vector>

namespace sallyport::config {

/// Made once by the program, from the authenticators that it has; everything that reads or
/// describes the files gets it from there. Immutable, so that threads may share it.
class Tables {
public:
    explicit Tables(std::vector<Authenticator const*> authenticators);
    Tables(Tables const&) = delete;
    Tables& operator=(Tables const&) = delete;
    ~Tables() = default;

    [[nodiscard]] Authenticators authenticators() const { return authenticators_; }
    [[nodiscard]] Section<Config> const& config() const { return *config_; }
    [[nodiscard]] Section<CredentialsFile> const& credentials() const { return *credentials_; }
    [[nodiscard]] Discretion const& discretion() const { return discretion_; }

private:
    /// Each refers to those before it.
    std::vector<Authenticator const*> authenticators_;
    std::unique_ptr<Section<ApiDraft> const> api_;
    std::unique_ptr<Section<Config> const> config_;
    std::unique_ptr<Section<CredentialDraft> const> credential_;
    std::unique_ptr<Section<CredentialsFile> const> credentials_;
    Discretion discretion_;
};

} // namespace sallyport::config
