// An authenticator of the tests with everything that one may add to the configuration.
#include "tests/unit/plugins/badge/badge.h"

#include "config/settings.h"
#include "gateway/http/characters.h"
#include "gateway/pipeline/api.h"
#include "gateway/pipeline/decision.h"
#include "gateway/pipeline/request.h"
#include "gateway/pipeline/services.h"
#include "gateway/pipeline/steps.h"

#include <chrono>
#include <string>
#include <utility>

namespace sallyport::plugins::test {

namespace {

using config::Identity;
using config::Reader;
using config::Value;
using pipeline::Decision;
using pipeline::Request;
using pipeline::Services;
using pipeline::Verdict;

struct BadgeSettings {
    std::string field;
    std::uint32_t clearance = 0;
};

struct Clearance {
    std::uint32_t level = 0;
};

config::Section<BadgeSettings> const& api_section() {
    static config::Section<BadgeSettings> const section{
        "badge",
        {config::custom_key<BadgeSettings>(
             {"field", config::text_shape(64), "the field with the number of the badge"},
             [](Reader& reader, Value const& value, BadgeSettings& out) {
                 if (auto field = reader.read_line(value, 64)) out.field = std::move(*field);
             })
             .required("field: x-badge"),
         config::integer_key("clearance", &BadgeSettings::clearance, 0, 9,
                             "that callers need at least")}};
    return section;
}

struct IdentityDraft {
    Identity identity;
    std::uint32_t clearance = 0;
};

config::Section<IdentityDraft> const& identity_section() {
    static config::Section<IdentityDraft> const section{
        "badge",
        {config::custom_key<IdentityDraft>(
             {"numbers", config::list_shape(config::text_shape(16), 1), "of the caller's badges"},
             [](Reader& reader, Value const& value, IdentityDraft& out) {
                 for (Value const& item : reader.read_list(value, config::Empty::refused)) {
                     if (auto number = reader.read_line(item, 16))
                         out.identity.keys.push_back(std::move(*number));
                 }
             })
             .required("numbers: [...]"),
         config::integer_key("clearance", &IdentityDraft::clearance, 0, 9, "of the badges")}};
    return section;
}

config::Opaque read_settings(Reader& reader, Value const& mapping) {
    BadgeSettings out;
    api_section().read(reader, mapping, out);
    return config::Opaque::of(std::move(out));
}

Identity read_identity(Reader& reader, Value const& mapping) {
    IdentityDraft draft;
    identity_section().read(reader, mapping, draft);
    if (!draft.identity.keys.empty()) draft.identity.key_id = draft.identity.keys.front();
    draft.identity.own = config::Opaque::of(Clearance{draft.clearance});
    return std::move(draft.identity);
}

class Badge final : public pipeline::Plugin {
public:
    explicit Badge(BadgeSettings settings) : settings_{std::move(settings)} {}

    Verdict check(Request const& request, Decision& decision, Services&) override {
        for (auto const field : request.head.fields) {
            if (http::equals_ignoring_case(field.name, settings_.field))
                return judge(field.value, decision);
        }
        return Verdict::abstain();
    }

private:
    Verdict judge(std::string_view number, Decision& decision) const {
        auto const* const found =
            decision.api->credentials->find(badge_name, number, std::chrono::system_clock::now())
                .valid();
        auto const* const clearance = found != nullptr ? found->own.as<Clearance>() : nullptr;
        if (clearance == nullptr || clearance->level < settings_.clearance)
            return Verdict::deny(pipeline::unauthenticated());
        decision.caller = &found->identity;
        return Verdict::pass();
    }

    BadgeSettings settings_;
};

} // namespace

std::unique_ptr<pipeline::Plugin> make_badge(pipeline::Api const& api) {
    return std::make_unique<Badge>(*api.settings_of<BadgeSettings>(badge_name));
}

config::Authenticator const& badge_settings() {
    static config::Authenticator const settings{
        .name = badge_name,
        .api = config::ApiSettings{.help = "how badges are read",
                                   .section = &api_section().info(),
                                   .read = read_settings},
        .identity = config::IdentitySettings{
            .help = "the badges of a person",
            .section = &identity_section().info(),
            .read = read_identity,
            .unique = {.key = "numbers", .noun = "number", .hint = "a badge has one owner"}}};
    return settings;
}

} // namespace sallyport::plugins::test
