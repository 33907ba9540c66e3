// Tries values at every key of a document: see schema_prober.h.
#include "schema_prober.h"

#include "config/tables.h"
#include "schema_beyond.h"
#include "schema_probe_values.h"
#include "support.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <utility>

namespace sallyport::config::test {

Prober::Prober(SectionInfo const& root, std::string const& text)
    : root_{root}, judge_{root}, document_{parsed(text)}, is_config_{
                                                              &root == &tables().config().info()} {}

void Prober::run() {
    REQUIRE(same_verdict() == Verdict::accepted);
    probe_section(root_, document_, {});
}

// The schema's verdict, which has to be that of the reader.
Prober::Verdict Prober::same_verdict() {
    std::string const text = print(document_);
    auto const document = yaml::load_text(text, "d.json");
    World const world{{{"OLD", old_}, {"A", old_}}, {}};
    auto const problems =
        is_config_
            ? read_config(document, "etc", tables(), world.resolver()).problems
            : read_credentials(document, "etc", {"management", "files"}, tables(), world.resolver())
                  .problems;
    bool const accepted = judge_.accepts(text);
    auto const duty = duty_of(problems);
    bool const agrees = duty == Duty::none || accepted == (duty == Duty::accept);
    // The texts take longer than the probe, and nearly all agree.
    INFO((agrees ? std::string{}
                 : "the reader:\n" + described(problems) + "the schema:\n" + judge_.why()));
    CHECK(agrees);
    if (duty != Duty::none) ++(accepted ? accepted_ : refused_);
    return accepted ? Verdict::accepted : Verdict::refused;
}

void Prober::try_value(JsonValue& place, JsonValue value) {
    std::swap(place, value);
    CAPTURE(print(place).substr(0, 200));
    (void)same_verdict();
    std::swap(place, value);
}

void Prober::probe(Shape const& shape, JsonValue& place, std::string const& path) {
    CAPTURE(path);
    old_ = place.items.empty() ? place.text : place.items[0].text;
    for (JsonValue const& value : values_of(shape)) {
        // Of a host with a port: the pattern does not count the host alone.
        auto const size = static_cast<std::int64_t>(value.text.size());
        if (key_of(path) == "host" && size == shape.maximum) continue;
        try_value(place, value);
    }
    for (JsonValue const& value : values_of_all_kinds())
        try_value(place, value);
    probe_inside(shape, place, path);
}

void Prober::probe_inside(Shape const& shape, JsonValue& place, std::string const& path) {
    bool const is_object = place.kind == JsonValue::Kind::object;
    if (shape.kind == ShapeKind::section && is_object) {
        probe_section(*shape.section, place, path);
    } else if (shape.kind == ShapeKind::list && place.kind == JsonValue::Kind::array) {
        probe_list(shape, place, path);
    } else if (shape.kind == ShapeKind::named && is_object) {
        probe_names(place);
        JsonValue const whole = place;
        for (auto const& [name, value] : whole.members) {
            probe(shape.elements[0], alone(place, name), path + ".NAME");
            place = whole;
        }
    } else if (shape.kind == ShapeKind::either) {
        for (Shape const& element : shape.elements) {
            for (JsonValue const& value : values_of(element))
                try_value(place, value);
            probe_inside(element, place, path);
        }
    }
}

void Prober::probe_list(Shape const& shape, JsonValue& place, std::string const& path) {
    for (JsonValue& item : place.items)
        probe(shape.elements[0], item, path + "[]");
    if (place.items.empty()) return;
    JsonValue const first = place.items[0];
    try_value(place, json_array({first, first}));
    if (first.kind != JsonValue::Kind::string) return;
    try_value(place, json_array({first, json_text("anonymous")}));
    for (std::size_t count = 2; count <= 3; ++count) {
        auto list = json_array({first});
        while (list.items.size() < count) {
            auto text = first.text; // other digests, other words
            text[text.size() / 2] = static_cast<char>('a' + list.items.size());
            list.items.push_back(json_text(text));
        }
        try_value(place, list);
    }
}

void Prober::probe_names(JsonValue& place) {
    if (place.members.empty()) return;
    std::string const name = place.members[0].name;
    for (std::string const& other :
         {std::string{}, std::string{"a b"}, std::string{"-a"}, std::string{"a/b"},
          std::string(64, 'a'), std::string(65, 'a'), std::string{"\xC3\xA9"}}) {
        place.members[0].name = other;
        CAPTURE(other);
        (void)same_verdict();
    }
    place.members[0].name = name;
}

// Without each key, with one that is unknown; and each key with other values.
void Prober::probe_section(SectionInfo const& section, JsonValue& place, std::string const& path) {
    JsonValue const whole = place;
    for (std::size_t i = 0; i < whole.members.size(); ++i) {
        CAPTURE(path, whole.members[i].name);
        auto without = whole;
        without.members.erase(without.members.begin() + static_cast<std::ptrdiff_t>(i));
        try_value(place, without);
    }
    auto with = whole;
    try_value(place, with.add("unknown", json_integer(1)));
    for (KeyInfo const& key : section.keys) {
        bool const is_there =
            std::any_of(place.members.begin(), place.members.end(),
                        [&key](auto const& member) { return member.name == key.name; });
        with = whole;
        // Keys that are not built, or do not go with the others.
        if (!is_there) try_value(place, with.add(key.name, json_text("a")));
    }
    for (std::size_t i = 0; i < whole.members.size(); ++i) {
        std::string const name = whole.members[i].name;
        KeyInfo const* const key = find_key(section, name);
        REQUIRE(key != nullptr);
        std::string const key_path = path + '.' + std::string{key->name};
        keys_.insert(key_path);
        probe(key->shape, alone(place, name), key_path);
        place = whole;
    }
}

// A member, beside no other than what it needs: small documents are read sooner. The last of
// each goes first, since what others refer to stands before them.
JsonValue& Prober::alone(JsonValue& place, std::string const& name) {
    for (std::size_t i = place.members.size(); i > 0; --i) {
        if (place.members[i - 1].name == name) continue;
        auto const whole = place.members;
        place.members.erase(place.members.begin() + static_cast<std::ptrdiff_t>(i - 1));
        if (same_verdict() == Verdict::refused) place.members = whole;
    }
    return std::find_if(place.members.begin(), place.members.end(),
                        [&name](auto const& member) { return member.name == name; })
        ->value;
}

std::string Prober::key_of(std::string const& path) {
    return path.substr(path.rfind('.') + 1);
}

KeyInfo const* Prober::find_key(SectionInfo const& section, std::string const& name) {
    for (KeyInfo const& key : section.keys) {
        if (key.name == name) return &key;
    }
    return section.rules.others.empty() ? nullptr : section.rules.others.data();
}

} // namespace sallyport::config::test
