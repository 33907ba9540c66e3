// Compares names of members in their folded form, whole and by their words.
#include "gateway/observe/redaction_list.h"

#include "gateway/observe/json_string.h"
#include "gateway/text/ascii.h"

#include <bitset>

namespace sallyport::observe {

namespace {

constexpr std::string_view secret_ending = "passwordhash";

constexpr std::array<std::string_view, 18> built_in_names = {
    "password",      "connectionString", "secret",    "clientSecret", "keySecret",
    "secretKey",     "secretAccessKey",  "accessKey", "privateKey",   "serviceAccountKey",
    "encryptionKey", "credentials",      "token",     "accessToken",  "refreshToken",
    "apiKey",        "authorization",    "uploadUrl",
};

// Names that describe a secret without containing it. Not here are names that could be a secret in
// some API: `changePassword`, `pageToken`, `secretRef`.
constexpr std::array<std::string_view, 48> built_in_exceptions = {
    // Its identity, kind and origin.
    "accessKeyId",
    "apiKeyId",
    "apiKeyName",
    "encryptionKeyId",
    "openApiKeys", // of the published document: identifiers
    "privateKeyId",
    "secretArn",
    "secretId",
    "secretName",
    "tokenId",
    "tokenName",
    "tokenType",
    "authorizationEndpoint",
    "authorizationUrl",
    "tokenEndpoint",
    "tokenUrl",
    // Its dates.
    "passwordChangedAt",
    "passwordExpiresAt",
    "passwordExpiry",
    "passwordUpdatedAt",
    "tokenExpiration",
    "tokenExpiresAt",
    "tokenExpiresIn",
    "tokenExpiry",
    "tokenLifetime",
    "tokenTtl",
    // Requirements for it.
    "hasPassword",
    "passwordLength",
    "passwordPolicy",
    "passwordPolicies",
    "passwordRequired",
    "passwordStrength",
    "requirePassword",
    // Tokens counted by language models.
    "cachedTokens",
    "completionTokens",
    "inputTokens",
    "maxTokens",
    "minTokens",
    "numTokens",
    "outputTokens",
    "promptTokens",
    "reasoningTokens",
    "remainingTokens",
    "tokenCount",
    "tokenLimit",
    "tokenUsage",
    "tokensUsed",
    "totalTokens",
};

// A shorter name has no plural: `as` is not the plural of `a`.
constexpr std::size_t shortest_with_plural = 3;

constexpr std::uint16_t no_name = UINT16_MAX;

// The last two bytes of a folded name, or its only one.
unsigned ending_of(std::string_view folded) {
    auto const last = static_cast<unsigned char>(folded.back());
    if (folded.size() < 2) return last;
    unsigned const before = static_cast<unsigned char>(folded[folded.size() - 2]);
    return before << 8U | last;
}

constexpr auto by_ending = [](std::string_view one, std::string_view other) {
    return ending_of(one) < ending_of(other);
};

void insert_sorted(std::vector<std::string>& names, std::string_view name) {
    auto const place = std::lower_bound(names.begin(), names.end(), name);
    if (place == names.end() || *place != name) names.emplace(place, name);
}

} // namespace

// A name in the form in which names are compared: UTF-8 in lower case, without `_` and `-`; and its
// words, separated by every ASCII byte that is neither letter nor digit.
class FoldedName {
public:
    FoldedName() = default;
    explicit FoldedName(std::string_view name) noexcept { add(name); }

    void add(std::string_view text) noexcept {
        for (auto const byte : text)
            add(byte);
    }

    void add(std::uint32_t code_point) noexcept {
        auto const tail = [](std::uint32_t bits) {
            return static_cast<char>(0x80 | (bits & 0x3F));
        };
        if (code_point < 0x80) return add(static_cast<char>(code_point));
        if (code_point < 0x800) {
            add(static_cast<char>(0xC0 | (code_point >> 6)));
            return add(tail(code_point));
        }
        if (code_point < 0x10000) {
            add(static_cast<char>(0xE0 | (code_point >> 12)));
        } else {
            add(static_cast<char>(0xF0 | (code_point >> 18)));
            add(tail(code_point >> 12));
        }
        add(tail(code_point >> 6));
        add(tail(code_point));
    }

    bool is_too_long() const noexcept { return whole_.size > RedactionList::longest_name; }
    std::string_view text() const noexcept { return whole_.text(); }

    // All its words, concatenated.
    std::string_view words() const noexcept { return words_.text(); }
    bool begins_word(std::size_t at) const noexcept { return begins_.test(at); }
    bool ends_word(std::size_t at) const noexcept { return at == words_.size || begins_.test(at); }

private:
    enum class Kind : std::uint8_t { separator, small, capital, digit, other };

    struct Text {
        // The last letter may have come as three bytes.
        std::array<char, RedactionList::longest_name + 2> bytes;
        std::size_t size = 0;

        std::string_view text() const noexcept { return {bytes.data(), size}; }

        void add(char byte) noexcept {
            byte = text::to_lower(byte);
            if (size == bytes.size()) return; // and stays too long
            bytes[size++] = byte;
            // The two letters outside ASCII whose other case is in ASCII (Unicode,
            // CaseFolding.txt): U+017F is an s, U+212A a k.
            replace_ending("\xC5\xBF", 's');
            replace_ending("\xE2\x84\xAA", 'k');
        }

        void replace_ending(std::string_view ending, char letter) noexcept {
            if (!text().ends_with(ending)) return;
            size -= ending.size();
            bytes[size++] = letter;
        }
    };

    static Kind kind_of(char byte) noexcept {
        if (byte >= 'a' && byte <= 'z') return Kind::small;
        if (byte >= 'A' && byte <= 'Z') return Kind::capital;
        if (byte >= '0' && byte <= '9') return Kind::digit;
        return static_cast<unsigned char>(byte) < 0x80 ? Kind::separator : Kind::other;
    }

    void add(char byte) noexcept {
        if (byte != '_' && byte != '-') whole_.add(byte);
        auto const kind = kind_of(byte);
        if (kind != Kind::separator) {
            find_word(kind);
            words_.add(byte);
        }
        before_ = last_;
        last_ = kind;
    }

    void find_word(Kind kind) noexcept {
        if (last_ == Kind::separator || (kind == Kind::digit) != (last_ == Kind::digit)
            || (kind == Kind::capital && last_ != Kind::capital)) {
            begins_.set(words_.size);
        } else if (kind == Kind::small && last_ == Kind::capital && before_ == Kind::capital) {
            begins_.set(words_.size - 1); // API, Key
        }
    }

    Text whole_;
    Text words_;
    std::bitset<RedactionList::longest_name + 3> begins_; // of words_
    Kind before_ = Kind::separator;
    Kind last_ = Kind::separator;
};

namespace {

// The positions in the words of a name at which no listed name may end, because an exception covers
// them. Computed only after a listed name was found.
class Excused {
public:
    using Exceptions = std::vector<std::string>;

    bool is_end(std::size_t end, FoldedName const& name, Exceptions const& exceptions) noexcept {
        if (!is_known_) find(name, exceptions);
        is_known_ = true;
        return ends_.test(end);
    }

private:
    void find(FoldedName const& name, Exceptions const& exceptions) noexcept {
        auto const words = name.words();
        for (std::string_view const exception : exceptions) {
            auto at = words.find(exception);
            for (; at != std::string_view::npos; at = words.find(exception, at + 1)) {
                if (!name.begins_word(at)) continue;
                auto const end = at + exception.size();
                if (name.ends_word(end)) excuse(at, end);
                if (words.substr(end).starts_with('s') && name.ends_word(end + 1))
                    excuse(at, end + 1);
            }
        }
    }

    void excuse(std::size_t begin, std::size_t end) noexcept {
        while (begin != end)
            ends_.set(++begin);
    }

    bool is_known_ = false;
    std::bitset<RedactionList::longest_name + 3> ends_;
};

} // namespace

RedactionList::RedactionList() {
    for (auto& row : endings_) {
        row.fill({no_name, 1U});
        row.front() = {0, UINT32_MAX};
    }
    endings_.front().fill({0, UINT32_MAX});
    for (auto const name : built_in_names)
        add(name);
    remember(secret_ending);
    for (auto const name : built_in_exceptions)
        add_exception(name);
}

void RedactionList::add(std::string_view name) {
    add_alone(name);
    FoldedName const folded{name};
    auto const words = folded.words();
    if (words.empty() || folded.is_too_long()) return;
    auto const [first, last] = std::equal_range(words_.begin(), words_.end(), words, by_ending);
    if (std::find(first, last, words) != last) return;
    words_.emplace(last, words);
    remember(words);
    if (words.size() >= shortest_with_plural) remember_ending(words, 's');
}

void RedactionList::add_alone(std::string_view name) {
    FoldedName const folded{name};
    if (folded.text().empty()) return;
    insert_sorted(names_, folded.text());
    remember(folded.text());
}

void RedactionList::add_exception(std::string_view name) {
    FoldedName const folded{name};
    if (!folded.words().empty()) insert_sorted(exceptions_, folded.words());
}

void RedactionList::remember(std::string_view folded) noexcept {
    shortest_name_ = std::min(shortest_name_, folded.size());
    if (folded.size() < 2) {
        longest_told_ = 0;
    } else {
        remember_ending(folded.substr(0, folded.size() - 1), folded.back());
    }
}

// Of `folded` followed by another letter.
void RedactionList::remember_ending(std::string_view folded, char last) noexcept {
    auto& ending = endings_[row_of(folded.back())][row_of(last)];
    auto const last_of_name = static_cast<std::uint16_t>(folded.size());
    ending.last_of_shortest = std::min(ending.last_of_shortest, last_of_name);
    ending.before |= folded.size() < 2 ? UINT32_MAX : 1U << row_of(folded[folded.size() - 2]);
    if (last >= '0' && last <= '9') uneven_ends_ = UINT32_MAX;
}

bool RedactionList::has_itself(std::string_view name) const noexcept {
    FoldedName const folded{name};
    return folded.is_too_long() || folded.text().ends_with(secret_ending)
           || std::binary_search(names_.begin(), names_.end(), folded.text());
}

bool RedactionList::has_folded(FoldedName const& name) const noexcept {
    return name.is_too_long() || name.text().ends_with(secret_ending)
           || std::binary_search(names_.begin(), names_.end(), name.text()) || has_words(name);
}

bool RedactionList::has_words(FoldedName const& name) const noexcept {
    Excused excused;
    auto const words = name.words();
    for (std::size_t end = 1; end <= words.size(); ++end) {
        if (!name.ends_word(end)) continue;
        bool const is_found =
            ends_in_listed(name, end, 0) || (words[end - 1] == 's' && ends_in_listed(name, end, 1));
        if (is_found && !excused.is_end(end, name, exceptions_)) return true;
    }
    return false;
}

// Whether the words up to `end`, without a plural letter there, end in a listed name that begins at
// a word.
bool RedactionList::ends_in_listed(FoldedName const& name, std::size_t end,
                                   std::size_t plural) const noexcept {
    auto const words = name.words().substr(0, end - plural);
    auto const is_listed_with = [&](std::string_view ending) {
        auto const [first, last] =
            std::equal_range(words_.begin(), words_.end(), ending, by_ending);
        return std::any_of(first, last, [&](std::string_view listed) {
            return words.ends_with(listed) && name.begins_word(words.size() - listed.size())
                   && (plural == 0 || listed.size() >= shortest_with_plural);
        });
    };
    return !words.empty()
           && (is_listed_with(words.substr(words.size() - 1))
               || (words.size() > 1 && is_listed_with(words)));
}

bool RedactionList::is_listed(std::string_view name) const noexcept {
    return has_folded(FoldedName{name});
}

bool RedactionList::has_escaped(std::string_view name) const noexcept {
    FoldedName folded;
    while (!name.empty()) {
        auto const ordinary = name.substr(0, ordinary_prefix(name));
        folded.add(ordinary);
        name.remove_prefix(ordinary.size());
        if (name.empty()) break;
        auto const escape = read_escape(name);
        if (escape.size == 0) return true; // the name is unknown
        folded.add(escape.code_point);
        name.remove_prefix(escape.size);
    }
    return has_folded(folded);
}

} // namespace sallyport::observe
