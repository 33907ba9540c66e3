// Tries values at every key of a document: the schema and the reader decide alike about each.
#pragma once

#include "config/json_value.h"
#include "config/shape.h"
#include "schema_judge.h"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

namespace sallyport::config::test {

/// Of one document, which is valid.
class Prober {
public:
    /// `root`: of the configuration, or of the file of credentials. `text`: YAML.
    Prober(SectionInfo const& root, std::string const& text);

    void run();
    [[nodiscard]] std::size_t accepted() const { return accepted_; }
    [[nodiscard]] std::size_t refused() const { return refused_; }
    [[nodiscard]] std::set<std::string> const& keys() const { return keys_; }

private:
    enum class Verdict : std::uint8_t { accepted, refused };

    Verdict same_verdict();
    void try_value(JsonValue& place, JsonValue value);
    void probe(Shape const& shape, JsonValue& place, std::string const& path);
    void probe_inside(Shape const& shape, JsonValue& place, std::string const& path);
    void probe_list(Shape const& shape, JsonValue& place, std::string const& path);
    void probe_names(JsonValue& place);
    void probe_section(SectionInfo const& section, JsonValue& place, std::string const& path);
    JsonValue& alone(JsonValue& place, std::string const& name);
    static std::string key_of(std::string const& path);
    static KeyInfo const* find_key(SectionInfo const& section, std::string const& name);

    SectionInfo const& root_;
    SchemaJudge judge_;
    JsonValue document_;
    bool is_config_;
    std::string old_;
    std::set<std::string> keys_;
    std::size_t accepted_ = 0;
    std::size_t refused_ = 0;
};

} // namespace sallyport::config::test
