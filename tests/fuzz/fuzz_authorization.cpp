// Fuzzes Authorization: every accepted value has one canonical form, which is read as the same.
#include "check.h"

#include "gateway/http/authorization.h"

#include <string>

namespace {

using namespace sallyport::http;
using sallyport::fuzz::check;
using sallyport::fuzz::Copy;

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    Copy const input{sallyport::fuzz::view_of(data, size)};
    std::string storage(size, '\0');
    std::string spelled_storage(size + 16, '\0');
    auto const parsed = parse_authorization(input.view(), storage);
    auto const spelled = spell_authorization(parsed, spelled_storage);
    auto const* const basic = std::get_if<BasicCredentials>(&parsed);
    auto const* const bearer = std::get_if<BearerToken>(&parsed);
    check(spelled.has_value() == (basic || bearer), "proof has a spelling, and nothing else has");
    if (!spelled) return 0;
    check(spelled->size() <= input.view().size(), "a spelling is never longer than what was sent");
    Copy const copy{*spelled};
    std::string again_storage(size, '\0');
    auto const again = parse_authorization(copy.view(), again_storage);
    if (bearer) {
        auto const* const same = std::get_if<BearerToken>(&again);
        check(same && same->token == bearer->token, "the same token");
        return 0;
    }
    auto const* const same = std::get_if<BasicCredentials>(&again);
    check(same && same->key_id == basic->key_id && same->secret == basic->secret, "the same proof");
    check(basic->key_id.find(':') == std::string_view::npos, "a key id without a colon");
    std::string encoded_storage(2 * size + 16, '\0');
    auto const encoded = spell_basic(basic->key_id, basic->secret, encoded_storage);
    check(encoded == *spelled, "one spelling for the same key id and secret");
    return 0;
}
