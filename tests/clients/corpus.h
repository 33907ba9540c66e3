// The corpus: requests as real clients send them, read from the YAML files of `corpus/`, each with
// its expected result.
#pragma once

#include "tests/support/message.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::test {

struct Broken {
    std::string pointer;
    std::string rule;

    bool operator==(Broken const&) const = default;
};

/// The expected result of a request: it passes, and the upstream responds with this status; or it
/// is refused, for this reason.
struct ExpectedVerdict {
    int status = 0;
    std::string reason; // empty: it passes
    std::vector<Broken> violations;
    Fields fields; // of the refusal, besides those of every refusal

    [[nodiscard]] bool passes() const { return reason.empty(); }
};

enum class ContentCoding { none, gzip, deflate };

struct Case {
    std::string group; // the file, without its extension
    std::string name;
    std::string client; // the imitated client
    std::string why;
    std::string head;    // to the empty line, as sent
    std::string body;    // after it, as sent: coded, in chunks
    std::string content; // the body for the upstream: neither coded nor in chunks
    ContentCoding coding = ContentCoding::none;
    std::size_t chunk = 0; // bytes of a chunk; 0: not in chunks
    ExpectedVerdict expected;

    [[nodiscard]] std::string bytes() const { return head + body; }
    [[nodiscard]] std::string label() const { return group + ": " + name; }
    /// Parsed strictly; empty if the bytes are not canonical, or contain a second
    /// request.
    [[nodiscard]] std::optional<Request> request() const;
};

/// The value of `{{host}}`: the address of the requests.
std::string host_of(std::uint16_t port);

/// Every case of every file of a folder, in the order of the files' names. Throws
/// std::runtime_error with the place of whatever is wrong in them: an unknown key, a name that is
/// there twice, a word in `{{}}` that means nothing.
std::vector<Case> read_corpus(std::filesystem::path const& folder, std::string_view host);

/// The folder of this test: SALLYPORT_CLIENTS of the environment. Its corpus is in `corpus`.
std::filesystem::path clients_folder();

} // namespace sallyport::test
