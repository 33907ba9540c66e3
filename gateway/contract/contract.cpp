// Queries of a loaded contract.
#include "gateway/contract/contract.h"

#include "gateway/contract/forms/field_parameters.h"
#include "gateway/contract/forms/form_body.h"
#include "gateway/contract/openapi/load.h"
#include "gateway/contract/overlay/overlay.h"
#include "gateway/contract/schema/program.h"
#include "gateway/text/ascii.h"

#include <algorithm>
#include <atomic>
#include <filesystem>

namespace sallyport::contract {

namespace {

// How the parameters of a Content-Type compare to those of a media type of the contract.
// `ambiguous`: some readers find all of them, and others do not.
enum class Given : std::uint8_t { no, all, ambiguous };

[[nodiscard]] Given find_parameter(std::string_view given, MediaParameter const& wanted) noexcept {
    FieldParameters parameters{given};
    std::optional<std::string_view> value;
    for (FieldParameter one;;) {
        auto const next = parameters.next(one);
        if (next == FieldParameters::Next::fault) return Given::ambiguous;
        if (next == FieldParameters::Next::end) break;
        // RFC 2231: `v*=utf-8''2` and `v*0=2` are a `v` for some readers.
        auto const name = one.name.substr(0, one.name.find('*'));
        if (!text::equals_ignoring_case(name, wanted.name)) continue;
        if (value || name.size() != one.name.size()) return Given::ambiguous;
        value = one.value;
    }
    if (!value || !text::equals_ignoring_case(*value, wanted.value)) return Given::no;
    return *value == wanted.value ? Given::all : Given::ambiguous;
}

[[nodiscard]] Given find_parameters(std::string_view given, MediaType const& type) noexcept {
    Given result = Given::all;
    for (auto const& wanted : type.parameters) {
        Given const found = find_parameter(given, wanted);
        if (found == Given::ambiguous) return found;
        if (found == Given::no) result = Given::no;
    }
    return result;
}

} // namespace

std::string MediaType::text() const {
    std::string out = name;
    for (auto const& [key, value] : parameters) {
        bool const is_token = std::all_of(value.begin(), value.end(), text::is_token_character);
        out += "; " + key + '=' + (is_token ? value : '"' + value + '"');
    }
    return out;
}

MediaType const* find_media_type(std::vector<MediaType> const& types, std::string_view name,
                                 std::string_view parameters) noexcept {
    std::size_t const slash = std::min(name.find('/'), name.size());
    MediaType const* best = nullptr;
    bool is_exact = false;
    for (auto const& one : types) {
        if (one.name == name) {
            Given const given = find_parameters(parameters, one);
            if (given == Given::ambiguous) return nullptr;
            bool const is_closer =
                !is_exact || one.parameters.size() > best->parameters.size();
            if (given != Given::all || !is_closer) continue;
            best = &one;
            is_exact = true;
        }
        if (is_exact) continue;
        std::string_view const known = one.name;
        bool const is_any = known == "*/*";
        bool const is_range = known.size() == slash + 2 && known.back() == '*'
                              && known.substr(0, slash + 1) == name.substr(0, slash + 1);
        // `*/*` is shorter than any other range.
        bool const is_closer = best == nullptr || known.size() > best->name.size();
        bool const is_taken = !one.is_json_of_range() || is_json(name);
        if ((is_any || is_range) && is_closer && is_taken) best = &one;
    }
    return best;
}

Response const* Operation::find_response(unsigned status) const noexcept {
    for (auto const& response : responses)
        if (status >= response.first && status <= response.last) return &response;
    return nullptr;
}

BodySchema const* Operation::response_schema(unsigned status,
                                             std::string_view media_type) const noexcept {
    auto const* const response = find_response(status);
    if (response == nullptr) return nullptr;
    auto const* const type = find_media_type(response->media_types, media_type);
    return type != nullptr && type->schema ? &*type->schema : nullptr;
}

bool Operation::has_query_parameter(std::string_view name) const noexcept {
    return std::any_of(query_parameters.begin(), query_parameters.end(),
                       [name](Parameter const& one) { return one.name == name; });
}

Contract::Contract() : program_{std::make_unique<Program>()} {
    static std::atomic<std::uint64_t> last{0};
    program_->number = ++last;
}
Contract::~Contract() = default;

bool is_inside(std::string const& folder, std::string const& outer) {
    namespace fs = std::filesystem;
    auto const real = [](std::string const& path, std::error_code& ec) {
        return fs::canonical(path.empty() ? fs::path{"."} : fs::path{path}, ec);
    };
    std::error_code of_inner;
    std::error_code of_outer;
    fs::path const inner_path = real(folder, of_inner);
    fs::path const outer_path = real(outer, of_outer);
    auto const [rest, other] = std::mismatch(outer_path.begin(), outer_path.end(),
                                             inner_path.begin(), inner_path.end());
    return !of_inner && !of_outer && rest == outer_path.end();
}

Loaded Contract::load_file(std::string const& path, LoadOptions const& options) {
    auto document =
        with_overlays(config::yaml::load_file(path, config::yaml::Syntax::full), options.overlays);
    LoadOptions own = options;
    own.folder = std::filesystem::path{path}.parent_path().string();
    return load_openapi(std::move(document), own).loaded;
}

Loaded Contract::load_text(std::string_view text, std::string_view name,
                           LoadOptions const& options) {
    auto document = with_overlays(
        config::yaml::load_text(text, name, config::yaml::Syntax::full), options.overlays);
    return load_openapi(std::move(document), options).loaded;
}

Loaded Contract::load_schema(std::string_view text, std::string_view name, Formats formats,
                             LoadOptions const& options) {
    return Loader{config::yaml::load_text(text, name, config::yaml::Syntax::full), options}
        .load_schema(formats);
}

Operation const* Contract::find_operation(std::string_view id) const noexcept {
    auto const found = std::find_if(operations_.begin(), operations_.end(),
                                    [id](Operation const& one) { return one.id == id; });
    return found == operations_.end() ? nullptr : &*found;
}

Operation const* Contract::find_operation(RouteMatch const& match,
                                          std::string_view method) const noexcept {
    if (match.item == nullptr) return nullptr;
    auto const index = match.item->find(method);
    return index ? &operations_[*index] : nullptr;
}

Conditions Contract::conditions_for(Labels const& labels) const {
    Conditions conditions;
    for (std::uint32_t i = 0; i < program_->conditions.size(); ++i) {
        if (program_->conditions[i].binds(labels)) conditions.set(i);
    }
    return conditions;
}

} // namespace sallyport::contract
