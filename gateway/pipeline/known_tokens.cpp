// A cache of tokens that were verified: see known_tokens.h.
#include "gateway/pipeline/known_tokens.h"

#include <openssl/rand.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <utility>

namespace sallyport::pipeline {

std::uint64_t next_verifier_number() noexcept {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

KnownTokens::KnownTokens() : known_(groups) {
    if (RAND_bytes(reinterpret_cast<unsigned char*>(key_.data()), sizeof key_) != 1)
        throw std::runtime_error{"OpenSSL has no random numbers"};
}

std::shared_ptr<Identity const> KnownTokens::find(VerifiedBy by, std::string_view field,
                                                  TimePoint now) const noexcept {
    auto const tag = siphash_of_long(key_, field);
    for (auto const& known : known_[tag[0] % groups]) {
        // Without a branch on the first half, as in KnownCallers.
        bool const is_same = ((known.tag[0] ^ tag[0]) | (known.tag[1] ^ tag[1])) == 0;
        if (is_same && known.by == by && now < known.until) return known.caller;
    }
    return nullptr;
}

void KnownTokens::remember(VerifiedBy by, std::string_view field,
                           std::shared_ptr<Identity const> caller, TimePoint until,
                           TimePoint now) noexcept {
    auto const tag = siphash_of_long(key_, field);
    auto& group = known_[tag[0] % groups];
    auto* const oldest =
        std::min_element(group.begin(), group.end(), [now](Known const& one, Known const& other) {
            auto const left = [now](Known const& known) { return std::max(known.until, now); };
            return left(one) < left(other);
        });
    *oldest = {tag, by, until, std::move(caller)};
}

} // namespace sallyport::pipeline
