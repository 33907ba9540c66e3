// What problems may repeat of the text around secrets: nothing but where it stands.
#pragma once

#include "config/authenticator.h"
#include "config/shape.h"
#include "config/yaml.h"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::config {

/// A secret whose key was forgotten is a key itself, `basic: { key_id: k, SECRET }`, and its name a
/// part of the path of every problem with it. From each path that leads to or through credentials
/// everything is cut that is no key of the tables.
class Discretion {
public:
    /// `config`, `credentials`: the tables of the two files.
    Discretion(SectionInfo const& config, SectionInfo const& credentials,
               Authenticators authenticators);

    void hide_in_config(yaml::Problems& problems) const;
    /// In the file of credentials names are free only below `allow`, `deny`, `labels` and
    /// `roles`.
    void hide_in_credentials(yaml::Problems& problems) const;

private:
    enum class Where : std::uint8_t {
        elsewhere,
        near_secrets, // what is next to a key of the tables is one with a mistake
        at_secrets,
    };
    using Words = std::set<std::string_view>;

    void add_keys(SectionInfo const& section);
    void add_keys(Shape const& shape);
    [[nodiscard]] bool is_shown(std::string_view key, Where where) const;
    [[nodiscard]] Where cut(std::string& path, Where where) const;
    void hide(yaml::Problems& problems, Where begin) const;

    Words known_keys_;
    std::vector<std::string_view> list_of_known_keys_;
    /// Everything below these is about secrets, wherever they stand: one that is indented too
    /// little, too.
    Words about_secrets_;
};

} // namespace sallyport::config
