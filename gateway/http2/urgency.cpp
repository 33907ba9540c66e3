// Which response a client wants first (RFC 9218): reads a dictionary of structured fields (RFC
// 8941).
#include "gateway/http2/urgency.h"

#include "gateway/text/ascii.h"

#include <cstddef>
#include <optional>

namespace sallyport::http2 {

namespace {

// A longer value is none that a client has a use for.
constexpr std::size_t most_value = 256;

// One value of the dictionary, as far as it matters here.
struct Item {
    enum class Kind : std::uint8_t { integer, boolean, other };
    Kind kind = Kind::other;
    int value = 0; // of an integer from 0 to 7, else -1; of a boolean 0 or 1
};

class Dictionary {
public:
    explicit Dictionary(std::string_view text) noexcept : rest_{text} {}

    // RFC 8941, 4.2.2. Empty: the value is no dictionary.
    std::optional<Urgency> read(Urgency urgency) noexcept {
        skip(" ");
        while (!rest_.empty()) {
            auto const key = take_key();
            if (key.empty()) return std::nullopt;
            Item item{Item::Kind::boolean, 1};
            if (take('=') && !take_member(item)) return std::nullopt;
            if (!take_parameters()) return std::nullopt;
            use(key, item, urgency);
            skip(" \t");
            if (rest_.empty()) break;
            if (!take(',')) return std::nullopt;
            skip(" \t");
            if (rest_.empty()) return std::nullopt;
        }
        return urgency;
    }

private:
    // RFC 9218, 4.1 and 4.2.
    static void use(std::string_view key, Item const& item, Urgency& urgency) noexcept {
        if (key == "u" && item.kind == Item::Kind::integer && item.value >= 0)
            urgency.level = static_cast<std::uint8_t>(item.value);
        if (key == "i" && item.kind == Item::Kind::boolean) urgency.incremental = item.value == 1;
    }

    bool take(char c) noexcept {
        if (rest_.empty() || rest_.front() != c) return false;
        rest_.remove_prefix(1);
        return true;
    }
    void skip(std::string_view characters) noexcept {
        auto const end = rest_.find_first_not_of(characters);
        rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end);
    }
    template <class Predicate>
    std::string_view take_while(Predicate belongs) noexcept {
        std::size_t size = 0;
        while (size < rest_.size() && belongs(rest_[size]))
            ++size;
        auto const taken = rest_.substr(0, size);
        rest_.remove_prefix(size);
        return taken;
    }

    // RFC 8941, 3.1.2: a key.
    std::string_view take_key() noexcept {
        auto const is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
        if (rest_.empty() || (!is_lower(rest_.front()) && rest_.front() != '*')) return {};
        return take_while([&](char c) {
            return is_lower(c) || text::is_digit(c) || c == '_' || c == '-' || c == '.' || c == '*';
        });
    }

    // RFC 8941, 3.1.2: they say nothing here.
    bool take_parameters() noexcept {
        while (take(';')) {
            skip(" ");
            if (take_key().empty()) return false;
            Item ignored;
            if (take('=') && !take_bare_item(ignored)) return false;
        }
        return true;
    }

    bool take_member(Item& item) noexcept {
        return take('(') ? take_inner_list(item) : take_bare_item(item);
    }

    // RFC 8941, 3.1.1.
    bool take_inner_list(Item& item) noexcept {
        item = {};
        for (;;) {
            skip(" ");
            if (take(')')) return true;
            Item ignored;
            if (!take_bare_item(ignored) || !take_parameters()) return false;
            if (rest_.empty() || (rest_.front() != ' ' && rest_.front() != ')')) return false;
        }
    }

    // RFC 8941, 3.3.
    bool take_bare_item(Item& item) noexcept {
        item = {};
        if (rest_.empty()) return false;
        char const first = rest_.front();
        if (first == '?') return take_boolean(item);
        if (first == '"') return take_string();
        if (first == ':') return take_bytes();
        if (first == '-' || text::is_digit(first)) return take_number(item);
        if (!text::is_letter(first) && first != '*') return false;
        take_while([](char c) { return text::is_token_character(c) || c == ':' || c == '/'; });
        return true;
    }

    bool take_boolean(Item& item) noexcept {
        rest_.remove_prefix(1);
        item.kind = Item::Kind::boolean;
        item.value = !rest_.empty() && rest_.front() == '1' ? 1 : 0;
        return take('1') || take('0');
    }

    // RFC 8941, 3.3.1 and 3.3.2: 15 digits, or 12 and three behind the point.
    bool take_number(Item& item) noexcept {
        constexpr std::size_t most_digits = 15;
        bool const is_negative = take('-');
        auto const digits = take_while(text::is_digit);
        if (digits.empty() || digits.size() > most_digits) return false;
        if (take('.')) {
            constexpr std::size_t most_whole = 12;
            auto const fraction = take_while(text::is_digit);
            return digits.size() <= most_whole && !fraction.empty() && fraction.size() <= 3;
        }
        item.kind = Item::Kind::integer;
        auto const significant = digits.find_first_not_of('0');
        item.value = 0;
        if (significant != std::string_view::npos) {
            bool const is_digit = significant + 1 == digits.size();
            int const value = digits.back() - '0';
            item.value = is_digit && !is_negative && value < Urgency::levels ? value : -1;
        }
        return true;
    }

    bool take_string() noexcept {
        rest_.remove_prefix(1);
        while (!rest_.empty()) {
            if (take('"')) return true;
            if (take('\\')) {
                if (!take('"') && !take('\\')) return false;
                continue;
            }
            if (rest_.front() < ' ' || rest_.front() > '~') return false;
            rest_.remove_prefix(1);
        }
        return false;
    }

    bool take_bytes() noexcept {
        rest_.remove_prefix(1);
        take_while(
            [](char c) { return text::is_letter_or_digit(c) || c == '+' || c == '/' || c == '='; });
        return take(':');
    }

    std::string_view rest_;
};

} // namespace

Urgency parse_urgency(std::string_view value, Urgency otherwise) noexcept {
    if (value.size() > most_value) return otherwise;
    return Dictionary{value}.read(otherwise).value_or(otherwise);
}

} // namespace sallyport::http2
