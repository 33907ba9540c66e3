// The callers whose Authorization field was right, found again by a keyed tag of the whole field.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace sallyport::pipeline {

struct Credential;
class CredentialTable;

/// SipHash-2-4 with 16 bytes of output (Aumasson and Bernstein, 2012): a keyed function of short
/// texts, at a tenth of the cost of SHA-256.
using SipKey = std::array<std::uint64_t, 2>;
using SipTag = std::array<std::uint64_t, 2>;
[[nodiscard]] SipTag siphash(SipKey const& key, std::string_view bytes) noexcept;

/// Callers send the same field with every request. What is remembered is no secret: the tag of the
/// field under a random key of this process, and whose it is. Only what was right is remembered, so
/// that strangers take nobody's place; and it is forgotten with its table of credentials. Whoever
/// asks has to see that the credential has not expired meanwhile. A field that is somebody's is
/// answered faster than one that is nobody's: that tells something only to who has it. One per
/// worker.
class KnownCallers {
public:
    KnownCallers();

    /// Whose `field` is in `table`, as the same authenticator has found it to be; null: it is not
    /// remembered. `authenticator`: the name in its row, a literal.
    [[nodiscard]] Credential const* find(CredentialTable const& table,
                                         std::string_view authenticator,
                                         std::string_view field) const noexcept;

    /// `authenticator` has found `field` to be that of `credential`, which belongs to `table`.
    void remember(CredentialTable const& table, std::string_view authenticator,
                  std::string_view field, Credential const& credential) noexcept;

private:
    struct Known {
        SipTag tag{};
        std::uint64_t table = 0;
        Credential const* credential = nullptr; // of no use where its table has gone
        std::string_view authenticator;
    };
    // Found by the tag's first bits; a later one takes the place of an earlier one.
    static constexpr std::size_t slots = 1024;
    [[nodiscard]] static std::size_t slot_of(SipTag const& tag) noexcept { return tag[0] % slots; }

    SipKey key_;
    std::vector<Known> known_;
};

} // namespace sallyport::pipeline
