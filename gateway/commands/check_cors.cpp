// Part of `check`: what `cors` of an API permits beyond what it probably should: see
// check_warnings.h.
#include "gateway/commands/check_warnings.h"

#include "config/text.h"
#include "gateway/text/ascii.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace sallyport::commands {

namespace {

using config::yaml::Problems;
using config::yaml::Severity;

// Secure Contexts, 3.1: pages of this machine cannot be changed on their way.
bool is_of_this_machine(std::string_view host) {
    return host == "localhost" || host.ends_with(".localhost") || host.starts_with("127.")
           || host == "[::1]";
}

std::string_view host_of(std::string_view origin) {
    origin.remove_prefix(origin.find("://") + 3);
    auto const behind = origin.find(':', origin.starts_with('[') ? origin.find(']') : 0);
    return origin.substr(0, behind);
}

class Warnings {
public:
    Warnings(config::Api const& api, config::Authenticators authenticators)
        : cors_{*api.cors}, has_callers_{config::any_named(
                                authenticators, api.authenticate, [](auto const& one) {
                                    return one.accepts == config::Accepts::callers
                                           || one.checked_by == config::CheckedBy::upstream;
                                })} {}

    Problems take() {
        for (auto const& origin : cors_.origins)
            look_at(origin);
        bool const has_any = has(cors_.headers, "*");
        if (has_any && has_callers_ && !has(cors_.headers, "Authorization"))
            add(cors_.origin, "\"*\" of headers does not permit Authorization (Fetch standard)",
                "write headers: [\"*\", Authorization] if pages send credentials themselves");
        return std::move(problems_);
    }

private:
    void look_at(config::AllowedOrigin const& origin) {
        if (origin.text == "*") {
            if (!has_callers_) return;
            add(origin.place,
                "every web page may read what this API responds to its callers, once it has "
                "their credential",
                "name the origins, unless all pages should");
        } else if (origin.text == "null") {
            add(origin.place, "every page can have the origin null, in a frame that it makes",
                "remove it, unless all pages should use the API");
        } else if (origin.text.starts_with("http://")
                   && !is_of_this_machine(host_of(origin.text))) {
            add(origin.place,
                config::in_quotes(origin.text)
                    + " has no TLS: its pages can be changed on their way",
                "use https there");
        }
    }

    static bool has(std::vector<std::string> const& names, std::string_view name) {
        return std::any_of(names.begin(), names.end(), [name](std::string const& one) {
            return text::equals_ignoring_case(one, name);
        });
    }

    void add(config::Origin const& origin, std::string what, std::string hint) {
        problems_.push_back(
            config::problem_at(origin, std::move(what), std::move(hint), Severity::warning));
    }

    config::Cors const& cors_;
    bool has_callers_;
    Problems problems_;
};

} // namespace

Problems warn_of_cors(config::Config const& config, config::Authenticators authenticators) {
    Problems problems;
    for (auto const& api : config.apis) {
        if (!api.cors) continue;
        auto more = Warnings{api, authenticators}.take();
        problems.insert(problems.end(), more.begin(), more.end());
    }
    return problems;
}

} // namespace sallyport::commands
