// Authenticates callers by the certificates with which they connect.
#include "plugins/client_certificate/client_certificate.h"

#include "gateway/pipeline/client_certificate.h"
#include "gateway/pipeline/decision.h"
#include "gateway/pipeline/request.h"
#include "gateway/pipeline/services.h"
#include "gateway/pipeline/steps.h"
#include "plugins/authenticators.h"
#include "plugins/client_certificate/keys.h"

#include <chrono>

namespace sallyport::plugins {

namespace {

using pipeline::AuthFailure;
using pipeline::ClientCertificate;
using pipeline::Decision;
using pipeline::Request;
using pipeline::Services;
using pipeline::Verdict;

// The credential of any of the names of a certificate. One that is that of two credentials is
// refused: nothing says which of them counts.
class Lookup {
public:
    Lookup(pipeline::CredentialTable const& table, std::string_view listener)
        : table_{table}, listener_{listener} {}

    // Of entries for any listener, and for this one.
    void add(std::string const& key) {
        add_one(key);
        add_one(certificate_keys::at_listener(listener_, key));
    }

    [[nodiscard]] ClientCertificate::Found result() const {
        // One of the two, for the log.
        if (is_ambiguous_) return {table_.identity(), AuthFailure::certificate, found_};
        return {table_.identity(), found_ == nullptr ? AuthFailure::unknown : AuthFailure::none,
                found_};
    }

private:
    void add_one(std::string const& key) {
        auto const* const credential =
            table_.find(client_certificate_name, key, std::chrono::system_clock::now()).credential;
        if (credential == nullptr) return;
        is_ambiguous_ = is_ambiguous_ || (found_ != nullptr && found_ != credential);
        found_ = credential;
    }

    pipeline::CredentialTable const& table_;
    std::string_view listener_;
    pipeline::Credential const* found_ = nullptr;
    bool is_ambiguous_ = false;
};

ClientCertificate::Found look_up(net::PeerCertificate const& facts,
                                 pipeline::CredentialTable const& table,
                                 std::string_view listener) {
    if (!facts.problem.empty()) return {table.identity(), AuthFailure::certificate, nullptr};
    Lookup lookup{table, listener};
    lookup.add(certificate_keys::of_fingerprint(pipeline::as_text(facts.fingerprint)));
    if (!facts.subject.empty()) lookup.add(certificate_keys::of_subject(facts.subject));
    for (auto const& name : facts.dns_names)
        lookup.add(certificate_keys::of_dns(name));
    for (auto const& uri : facts.uris)
        lookup.add(certificate_keys::of_uri(uri));
    for (auto const& email : facts.emails)
        lookup.add(certificate_keys::of_email(email));
    return lookup.result();
}

class ByCertificate final : public pipeline::Plugin {
public:
    Verdict check(Request const& request, Decision& decision, Services&) override {
        auto const* const certificate = request.client.certificate.get();
        if (certificate == nullptr || certificate->facts == nullptr) return Verdict::abstain();
        auto const& table = *decision.api->credentials;
        auto& found = certificate->found;
        if (found.table != table.identity())
            found = look_up(*certificate->facts, table, request.client.listener);
        auto failure = found.failure;
        if (failure == AuthFailure::none)
            failure = found.credential->failure_at(std::chrono::system_clock::now());
        if (failure == AuthFailure::none) {
            decision.caller = &found.credential->identity;
            return Verdict::pass();
        }
        decision.auth_failure = failure;
        decision.meant = found.credential;
        if (found.credential == nullptr && failure == AuthFailure::certificate)
            decision.refused_by = certificate->asked_by;
        auto denial = pipeline::unauthenticated();
        denial.log_note = note_of(*certificate->facts, failure);
        return Verdict::deny(std::move(denial));
    }

private:
    static std::string_view note_of(net::PeerCertificate const& facts, AuthFailure failure) {
        if (failure != AuthFailure::certificate) return {};
        return facts.problem.empty() ? "the client's certificate is that of two credentials"
                                     : facts.problem;
    }
};

} // namespace

std::unique_ptr<pipeline::Plugin> make_client_certificate(pipeline::Api const&) {
    return std::make_unique<ByCertificate>();
}

std::string client_certificate_challenge(std::string_view realm) {
    return challenge("ClientCertificate", realm, {});
}

} // namespace sallyport::plugins
