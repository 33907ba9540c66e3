// What callers may do at one API, compiled to sets of operations: config/permissions.md says how
// rules combine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::pipeline {

/// A value that a rule compares a path parameter with.
class AllowedValue {
public:
    explicit AllowedValue(std::string value);

    /// For what is allowed: whether it is the same, a uuid in any letter case. `decoded`: a path
    /// parameter after one percent-decoding.
    [[nodiscard]] bool matches(std::string_view decoded) const;
    /// For what is denied: whether an upstream may take it for the same, which ignores letter case,
    /// or reads numbers.
    [[nodiscard]] bool resembles(std::string_view decoded) const;

    [[nodiscard]] std::string const& text() const noexcept { return value_; }

private:
    std::string value_; // of a uuid: in lower case
    bool is_uuid_;
};

using AllowedValues = std::vector<AllowedValue>;

/// Operations of one contract, by contract::Operation::index.
class OperationSet {
public:
    [[nodiscard]] bool has(std::uint32_t operation) const noexcept {
        return operation / 64 < words_.size()
               && (words_[operation / 64] >> (operation % 64) & 1U) != 0;
    }
    [[nodiscard]] bool is_empty() const noexcept;
    void add(std::uint32_t operation);
    void add(OperationSet const& others);
    void remove(OperationSet const& others);

private:
    std::vector<std::uint64_t> words_;
};

/// Methods of requests that are no operation of a contract.
struct MethodSet {
    bool any = false;
    std::vector<std::string> names;

    [[nodiscard]] bool has(std::string_view method) const;
    /// Whether an upstream may take it for one of them: in any letter case.
    [[nodiscard]] bool resembles(std::string_view method) const;
    [[nodiscard]] bool is_empty() const noexcept { return !any && names.empty(); }
    void add(MethodSet const& others);
};

enum class Effect : std::uint8_t { allow, deny };

/// That a path parameter has one of the values.
struct ParameterTest {
    std::string parameter;
    std::uint32_t values = 0; // index in Identity::values
};

/// One rule of a caller at one API.
struct Rule {
    Effect effect = Effect::allow;
    std::uint32_t number = 0; // among all rules of the caller: lifecycle::rules_of()
    OperationSet operations;  // that have all the parameters of the tests
    std::vector<ParameterTest> tests; // all have to hold; none: it holds for these operations
    MethodSet methods; // it holds for requests with these methods that are no operation
};

/// The permissions of callers at one API. Immutable; shared by all credentials whose rules differ
/// in the values of parameters alone.
struct Permissions {
    OperationSet allowed;      // whatever the path has
    OperationSet tested;       // by rules with tests; nothing else is allowed
    MethodSet methods_allowed; // of requests that are no operation
    MethodSet methods_denied;  // of them
    std::vector<Rule> rules;   // those that hold for anything here, by their numbers

    /// Sets what precedes the rules by them.
    void combine();
    [[nodiscard]] bool allows_without_operation(std::string_view method) const {
        return methods_allowed.has(method) && !methods_denied.resembles(method);
    }
};

} // namespace sallyport::pipeline
