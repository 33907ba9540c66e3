// The keys of an issuer: see key_set.h.
#include "gateway/jose/key_set.h"

#include "gateway/jose/jwk.h"
#include "gateway/jose/pem_keys.h"
#include "gateway/jose/strict_json.h"

#include <algorithm>
#include <utility>

namespace sallyport::jose {

namespace {

namespace dom = simdjson::dom;

std::string name_of(std::size_t number, std::string_view what) {
    return "its key " + std::to_string(number + 1) + ' ' + std::string{what};
}

class Reading {
public:
    Reading(std::span<Algorithm const> algorithms, KeySetOrigin origin)
        : algorithms_{algorithms}, origin_{origin} {}

    void read_json(std::string_view text) {
        StrictJson json;
        // x5c may hold certificates, so there are few values, and long ones.
        auto const root = json.read(
            text, {.bytes = std::max<std::size_t>(text.size(), 64), .depth = 8, .values = 4096});
        if (!root) return refuse("is no JSON object, or an object in it has a name twice");
        if (has_member(*root, "kty")) return add(read_jwk(*root, algorithms_), 0);
        dom::array list;
        if (root->at_key("keys").get_array().get(list) != simdjson::SUCCESS)
            return refuse("is no key set: it has neither `keys` nor `kty`");
        is_empty_ = list.size() == 0;
        if (list.size() > most_keys) return refuse("has more than 64 keys");
        std::size_t number = 0;
        for (dom::element const one : list) {
            dom::object jwk;
            if (one.get_object().get(jwk) != simdjson::SUCCESS) {
                leave_out(name_of(number, "is no JSON object"));
            } else {
                add(read_jwk(jwk, algorithms_), number);
            }
            ++number;
        }
    }

    void read_blank() { is_empty_ = true; }

    void read_blocks(std::string_view text) {
        auto pem = read_pem(text);
        if (!pem.problem.empty()) return refuse(std::move(pem.problem));
        if (pem.keys.size() > most_tries)
            return refuse("has more than 4 keys: more of them need a `kid`, in a key set");
        std::size_t number = 0;
        for (auto& key : pem.keys) {
            auto const fitting = algorithms_of(*key);
            auto const algorithm = only_fitting(fitting, algorithms_);
            if (!algorithm) {
                refuse(name_of(number, "fits none of `algorithms`, or two of them"));
            } else {
                add_made(Key::of_public(*algorithm, {}, std::move(key)), number);
            }
            ++number;
        }
    }

    ReadKeySet finish() && {
        check_repeated();
        // A file whose last key was taken away: the one before must not stay in force.
        bool const may_be_empty = is_empty_ && origin_ == KeySetOrigin::file;
        if (keys_.empty() && out_.problems.empty() && !may_be_empty)
            refuse("has no key that can be used");
        if (out_.problems.empty()) out_.keys = std::make_shared<KeySet const>(std::move(keys_));
        return std::move(out_);
    }

private:
    void refuse(std::string what) { out_.problems.push_back(std::move(what)); }

    // A key that is not understood.
    void leave_out(std::string what) {
        if (origin_ == KeySetOrigin::file) return refuse(std::move(what));
        out_.not_understood.push_back(std::move(what));
    }

    void add_made(Key::Made made, std::size_t number) {
        if (!made.key) return refuse(name_of(number, made.problem));
        keys_.push_back(std::move(*made.key));
    }

    void add(ReadJwk read, std::size_t number) {
        switch (read.kind) {
        case ReadJwk::Kind::used: keys_.push_back(std::move(*read.key)); break;
        case ReadJwk::Kind::ignored: out_.ignored.push_back(name_of(number, read.why)); break;
        case ReadJwk::Kind::unsupported:
            out_.not_understood.push_back(name_of(number, read.why));
            break;
        case ReadJwk::Kind::unusable: leave_out(name_of(number, read.why)); break;
        case ReadJwk::Kind::refused: refuse(name_of(number, read.why)); break;
        }
    }

    // RFC 8725, 3.1: a key is for one algorithm; RFC 7517, 4.5: a `kid` names one key.
    void check_repeated() {
        for (std::size_t i = 0; i < keys_.size(); ++i) {
            for (std::size_t j = i + 1; j < keys_.size(); ++j) {
                bool const has_same_algorithm = keys_[i].algorithm() == keys_[j].algorithm();
                bool const has_same_kid =
                    !keys_[i].kid().empty() && keys_[i].kid() == keys_[j].kid();
                if (!has_same_algorithm && keys_[i].is_same_material(keys_[j]))
                    refuse("has one key for two algorithms");
                if (has_same_algorithm && has_same_kid)
                    refuse("has two keys of one algorithm with the same `kid`");
            }
        }
    }

    std::span<Algorithm const> algorithms_;
    KeySetOrigin origin_;
    bool is_empty_ = false;
    std::vector<Key> keys_;
    ReadKeySet out_;
};

} // namespace

KeySet::Candidates KeySet::find(Algorithm algorithm,
                                std::optional<std::string_view> kid) const noexcept {
    auto const collect = [&](auto const& fits) {
        Candidates found;
        for (auto const& key : keys_) {
            if (found.count == found.keys.size()) break;
            if (key.algorithm() == algorithm && fits(key)) found.keys[found.count++] = &key;
        }
        return found;
    };
    if (!kid) return collect([](Key const&) { return true; });
    auto const named = collect([&](Key const& key) { return key.kid() == *kid; });
    return named.count != 0 ? named : collect([](Key const& key) { return key.kid().empty(); });
}

bool KeySet::has(std::string_view kid) const noexcept {
    return std::any_of(keys_.begin(), keys_.end(),
                       [kid](Key const& key) { return key.kid() == kid; });
}

ReadKeySet read_key_set(std::string_view text, std::span<Algorithm const> algorithms,
                        KeySetOrigin origin) {
    Reading reading{algorithms, origin};
    if (text.size() > longest_key_set) {
        ReadKeySet out;
        out.problems.emplace_back("is larger than 256 KiB");
        return out;
    }
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
        reading.read_blank();
    } else if (is_pem(text)) {
        reading.read_blocks(text);
    } else {
        reading.read_json(text);
    }
    return std::move(reading).finish();
}

} // namespace sallyport::jose
