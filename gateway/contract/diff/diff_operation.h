// Compares two descriptions of one operation.
#pragma once

#include "gateway/contract/diff/diff_document.h"
#include "gateway/contract/diff/explain.h"

namespace sallyport::contract {

/// Adds the changes of an operation: of its requests by `requests`, of its responses by
/// `responses`.
class OperationComparison {
public:
    OperationComparison(OperationView const& old, OperationView const& now, Explainer& requests,
                        Explainer& responses)
        : old_{old}, now_{now}, requests_{requests}, responses_{responses} {}
    void run();

private:
    void compare_identity();
    void compare_parameters();
    void compare_parameter(ParameterView const& old, ParameterView const& now);
    void compare_texts(SchemaView const& old, SchemaView const& now, std::size_t depth);
    void compare_texts_inside(SchemaParts const& old, SchemaView const& now, std::size_t depth);
    void add_parameter(ParameterView const& parameter);
    void remove_parameter(ParameterView const& parameter);
    void compare_bodies();
    void compare_limits(SchemaView const& old, SchemaView const& now);
    // How the bodies of a `content` are read in both documents; null: of a parameter.
    struct BodiesRead {
        std::vector<MediaType> const* old = nullptr;
        std::vector<MediaType> const* now = nullptr;
    };
    void compare_content(SchemaView const& old, SchemaView const& now, Explainer& explainer,
                         BodiesRead const& read);
    void compare_media(SchemaView const& old, SchemaView const& now, std::string const& name,
                       Explainer& explainer, BodiesRead const& read);
    void compare_media_schemas(SchemaView const& old, SchemaView const& now, std::string const& key,
                               bool is_text, Explainer& explainer);
    void compare_responses();

    OperationView const& old_;
    OperationView const& now_;
    Explainer& requests_;
    Explainer& responses_;
};

/// The difference of a key of an object, whose values are compared as texts.
struct KeyDifference {
    std::string_view key;
    ChangeClass kind = ChangeClass::neutral;
    bool is_undecided = false;
};
void compare_key(SchemaView const& old, SchemaView const& now, KeyDifference const& key,
                 Explainer& explainer);

/// Whether a flag is there, and true.
[[nodiscard]] bool is_true(SchemaView const& view, std::string_view key);
/// The change of a flag that is of this class where it becomes true, and of the opposite one where
/// it becomes false.
void compare_flag(SchemaView const& old, SchemaView const& now, std::string_view key,
                  ChangeClass where_true, Explainer& explainer);

} // namespace sallyport::contract
