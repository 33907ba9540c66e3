// [[nodiscard]] on const member functions that return a value, checked over every header of the
// code.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace nodiscard_test {

namespace {

namespace fs = std::filesystem;

bool is_space(char c) {
    return std::isspace(static_cast<unsigned char>(c)) != 0;
}

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// The end of the comment or literal that begins at `at`; `at` itself if none begins there.
std::size_t end_of_other(std::string_view text, std::size_t at) {
    auto const rest = text.substr(at);
    if (rest.starts_with("//")) return std::min(text.find('\n', at), text.size());
    if (rest.starts_with("/*")) return std::min(text.find("*/", at + 2), text.size() - 2) + 2;
    bool const is_digit_separator = rest.front() == '\'' && at > 0 && is_word(text[at - 1]);
    if ((rest.front() != '"' && rest.front() != '\'') || is_digit_separator) return at;
    auto end = at + 1;
    while (end < text.size() && text[end] != rest.front() && text[end] != '\n')
        end += text[end] == '\\' ? 2U : 1U;
    return std::min(end + 1, text.size());
}

// The text without comments and literals; lines keep their numbers.
std::string code_of(std::string_view text) {
    std::string code;
    for (std::size_t at = 0; at < text.size();) {
        auto const end = end_of_other(text, at);
        if (end == at) {
            code += text[at++];
            continue;
        }
        for (; at < end; ++at)
            code += text[at] == '\n' ? '\n' : ' ';
    }
    return code;
}

std::string_view without_space(std::string_view text) {
    while (!text.empty() && is_space(text.front()))
        text.remove_prefix(1);
    return text;
}

// Whether `text`, which follows `) const`, is the end of a function's declarator.
bool ends_declarator(std::string_view text) {
    for (text = without_space(text); !text.empty(); text = without_space(text)) {
        if (text.front() == ';' || text.front() == '{') return true;
        if (text.starts_with("->")) return text.find_first_of(";{") != std::string_view::npos;
        auto const known = {"noexcept", "override", "final", "&", "= 0"};
        auto const* const found =
            std::find_if(known.begin(), known.end(),
                         [text](char const* word) { return text.starts_with(word); });
        if (found == known.end()) return false;
        text.remove_prefix(std::string_view{*found}.size());
    }
    return false;
}

struct Declaration {
    std::size_t line;
    std::string text; // on one line, up to and including `const`
};

// The declaration that ends at `end`: from behind the last `;`, `{`, `}` or access label.
Declaration declaration_before(std::string_view code, std::size_t end) {
    auto begin = code.find_last_of(";{}", end - 1) + 1;
    for (std::string_view const label : {"public:", "protected:", "private:"}) {
        auto const found = code.substr(begin, end - begin).rfind(label);
        if (found != std::string_view::npos) begin += found + label.size();
    }
    while (is_space(code[begin]))
        ++begin;
    Declaration declaration{1, {}};
    declaration.line += static_cast<std::size_t>(std::count(
        code.begin(), std::next(code.begin(), static_cast<std::ptrdiff_t>(begin)), '\n'));
    for (auto const c : code.substr(begin, end - begin)) {
        if (!is_space(c))
            declaration.text += c;
        else if (!declaration.text.ends_with(' '))
            declaration.text += ' ';
    }
    return declaration;
}

std::vector<Declaration> const_members_of(std::string_view code) {
    constexpr std::string_view qualifier = " const";
    std::vector<Declaration> declarations;
    for (auto at = code.find(')'); at != std::string_view::npos; at = code.find(')', at + 1)) {
        auto const end = at + 1 + qualifier.size();
        if (!code.substr(at + 1).starts_with(qualifier)) continue;
        if (!ends_declarator(code.substr(end))) continue;
        declarations.push_back(declaration_before(code, end));
    }
    return declarations;
}

bool has(std::string_view declaration, std::string_view text) {
    return declaration.find(text) != std::string_view::npos;
}

// Not operators, whose result is rarely discarded; not definitions outside of the class, nor
// lambdas.
bool lacks_nodiscard(std::string_view declaration) {
    auto const before_parameters = declaration.substr(0, declaration.find('('));
    auto const name =
        std::find_if_not(before_parameters.rbegin(), before_parameters.rend(), is_word);
    auto const before_name = before_parameters.substr(
        0, static_cast<std::size_t>(std::distance(name, before_parameters.rend())));
    bool const returns_nothing = before_name == "void " || before_name.ends_with(" void ");
    return !has(declaration, "[[nodiscard]]") && !has(declaration, "using ") && !returns_nothing
           && !has(before_parameters, "operator") && !before_name.ends_with("::")
           && !before_name.ends_with("]");
}

std::string read(fs::path const& path) {
    std::ifstream stream{path};
    return {std::istreambuf_iterator<char>{stream}, {}};
}

} // namespace

TEST_CASE("const member functions that return a value are [[nodiscard]]") {
    fs::path const root{SALLYPORT_SOURCE_DIR};
    std::size_t seen = 0;
    std::string lacking;
    for (auto const* const top : {"config", "gateway", "plugins"}) {
        for (auto const& entry : fs::recursive_directory_iterator{root / top}) {
            if (entry.path().extension() != ".h") continue;
            for (auto const& [line, text] : const_members_of(code_of(read(entry.path())))) {
                ++seen;
                if (!lacks_nodiscard(text)) continue;
                lacking += fs::relative(entry.path(), root).generic_string() + ':'
                           + std::to_string(line) + ": " + text + '\n';
            }
        }
    }
    CHECK(lacking == "");
    // A test that looked at nothing would pass as well.
    CHECK(seen > 300);
}

} // namespace nodiscard_test
