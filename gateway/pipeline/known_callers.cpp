// A cache of callers whose Authorization field was valid, by a keyed tag of the whole field.
#include "gateway/pipeline/known_callers.h"

#include "gateway/pipeline/credentials.h"

#include <openssl/rand.h>

#include <bit>
#include <cstring>
#include <stdexcept>

namespace sallyport::pipeline {

namespace {

std::uint64_t load_word(char const* at, std::size_t size) noexcept {
    static_assert(std::endian::native == std::endian::little, "SipHash reads little-endian words");
    std::uint64_t word = 0;
    std::memcpy(&word, at, size);
    return word;
}

// SipHash, 2.3: SipRound.
struct SipState {
    std::uint64_t a, b, c, d;

    void round() noexcept {
        a += b;
        c += d;
        b = std::rotl(b, 13) ^ a;
        d = std::rotl(d, 16) ^ c;
        a = std::rotl(a, 32);
        c += b;
        a += d;
        b = std::rotl(b, 17) ^ c;
        d = std::rotl(d, 21) ^ a;
        c = std::rotl(c, 32);
    }
    // Written out: a loop would count them at each word.
    template <int count>
    void rounds() noexcept {
        round();
        if constexpr (count > 1) rounds<count - 1>();
    }
    // SipHash, 2.2.
    template <int count>
    void compress(std::uint64_t word) noexcept {
        d ^= word;
        rounds<count>();
        a ^= word;
    }
    std::uint64_t folded() const noexcept { return a ^ b ^ c ^ d; }
};

template <int compression, int finalization>
SipTag siphash_with(SipKey const& key, std::string_view bytes) noexcept {
    // SipHash, 2.1, with 0xee for an output of 16 bytes, as in the reference code.
    SipState state{key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d ^ 0xee,
                   key[0] ^ 0x6c7967656e657261, key[1] ^ 0x7465646279746573};
    constexpr std::size_t word_size = sizeof(std::uint64_t);
    auto const size = bytes.size();
    for (; bytes.size() >= word_size; bytes.remove_prefix(word_size))
        state.compress<compression>(load_word(bytes.data(), word_size));
    // SipHash, 2.2: the last word ends in the size.
    auto const rest = bytes.empty() ? 0 : load_word(bytes.data(), bytes.size());
    state.compress<compression>(rest | static_cast<std::uint64_t>(size) << 56);
    SipTag tag{};
    // SipHash, 2.4, twice.
    state.c ^= 0xee;
    state.rounds<finalization>();
    tag[0] = state.folded();
    state.b ^= 0xdd;
    state.rounds<finalization>();
    tag[1] = state.folded();
    return tag;
}

// Without a branch on the first half: the timing must not reveal how much of a tag matched.
bool is_same(SipTag const& one, SipTag const& other) noexcept {
    return ((one[0] ^ other[0]) | (one[1] ^ other[1])) == 0;
}

} // namespace

SipTag siphash(SipKey const& key, std::string_view bytes) noexcept {
    return siphash_with<2, 4>(key, bytes);
}

SipTag siphash_of_long(SipKey const& key, std::string_view bytes) noexcept {
    return siphash_with<1, 3>(key, bytes);
}

KnownCallers::KnownCallers() : known_(slots) {
    if (RAND_bytes(reinterpret_cast<unsigned char*>(key_.data()), sizeof key_) != 1)
        throw std::runtime_error{"OpenSSL has no random numbers"};
}

KnownCallers::Found KnownCallers::find(CredentialTable const& table, std::string_view authenticator,
                                       std::string_view field) const noexcept {
    auto const tag = siphash(key_, field);
    auto const& known = known_[slot_of(tag)];
    bool const is_it = is_same(known.tag, tag) && known.table == table.identity()
                       && known.authenticator == authenticator;
    return is_it ? known.found : Found{};
}

void KnownCallers::remember(CredentialTable const& table, std::string_view authenticator,
                            std::string_view field, Proof const& proof) noexcept {
    auto const tag = siphash(key_, field);
    known_[slot_of(tag)] = {
        tag, table.identity(), {proof.credential, proof.last_use()}, authenticator};
}

} // namespace sallyport::pipeline
