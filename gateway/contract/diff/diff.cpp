// Compares two documents: loads them, and pairs their operations.
#include "gateway/contract/diff/diff.h"

#include "gateway/contract/diff/diff_document.h"
#include "gateway/contract/diff/diff_operation.h"
#include "gateway/contract/openapi/load.h"
#include "gateway/contract/overlay/overlay.h"
#include "gateway/contract/path_template.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace sallyport::contract {

namespace yaml = config::yaml;

namespace {

[[nodiscard]] std::unique_ptr<DiffDocument> load(DiffSide const& side, yaml::Problems& problems) {
    LoadOptions options = side.options;
    options.folder = std::filesystem::path{side.file}.parent_path().string();
    auto [loader, loaded] = load_openapi(
        with_overlays(yaml::load_file(side.file, yaml::Syntax::full), options.overlays), options);
    problems.insert(problems.end(), loaded.problems.begin(), loaded.problems.end());
    if (!loaded.contract) return nullptr;
    return std::make_unique<DiffDocument>(std::move(loader), std::move(loaded.contract));
}

[[nodiscard]] Implication::From from_of(DiffDocument const& document) {
    return document.contract().unchecked().empty() ? Implication::From::enforced
                                                   : Implication::From::unchecked;
}

[[nodiscard]] Change subject_of(OperationView const& operation) {
    Change change;
    change.operation = operation.operation->id;
    change.method = operation.operation->method;
    change.path = operation.operation->path;
    return change;
}

class Comparison {
public:
    Comparison(DiffDocument const& old, DiffDocument const& now, Changes& changes)
        : old_{old}, now_{now}, changes_{changes}, forward_{from_of(old)}, backward_{from_of(now)} {
    }

    void run() {
        std::map<std::string, OperationView const*> known;
        for (auto const& one : old_.operations())
            known.emplace(one.key(), &one);
        for (auto const& one : now_.operations()) {
            auto const found = known.find(one.key());
            if (found == known.end()) {
                add_operation(one);
                continue;
            }
            compare(*found->second, one);
            known.erase(found);
        }
        for (auto const& one : old_.operations())
            if (known.contains(one.key())) remove_operation(one);
        compare_secrets();
        join_alike();
    }

private:
    void compare(OperationView const& old, OperationView const& now) {
        Change subject = subject_of(now);
        Explainer requests{forward_, backward_, subject, changes_};
        subject.is_of_response = true;
        Explainer responses{forward_, backward_, subject, changes_};
        OperationComparison{old, now, requests, responses}.run();
    }

    // A path of a new template may have belonged to another one, whose rules were other ones; HEAD
    // to GET.
    void add_operation(OperationView const& operation) {
        auto const path = parse_path_template(operation.operation->path).segments;
        bool was_another = false;
        for (auto const& one : old_.operations()) {
            auto const& other = *one.operation;
            Overlap const overlap =
                compare_templates(path, parse_path_template(other.path).segments);
            bool const is_head = overlap == Overlap::same && operation.operation->method == "HEAD"
                                 && other.method == "GET";
            bool const is_new_path =
                overlap != Overlap::none && overlap != Overlap::same && !has_path(operation.key());
            was_another = was_another || is_head || is_new_path;
        }
        Change change = subject_of(operation);
        change.where = operation.view.pointer;
        change.what = was_another ? "operation added: requests of it were those of another"
                                  : "operation added";
        change.kind = was_another ? ChangeClass::stricter : ChangeClass::looser;
        change.is_undecided = was_another;
        changes_.push_back(std::move(change));
    }

    // Whether the old document has the path, with another method.
    [[nodiscard]] bool has_path(std::string const& key) const {
        auto const path_of = [](std::string const& text) { return text.substr(text.find(' ')); };
        return std::any_of(old_.operations().begin(), old_.operations().end(),
                           [&](auto const& one) { return path_of(one.key()) == path_of(key); });
    }

    void remove_operation(OperationView const& operation) {
        Change change = subject_of(operation);
        change.where = operation.view.pointer;
        change.what = "operation removed";
        change.kind = ChangeClass::stricter;
        changes_.push_back(std::move(change));
    }

    // They are not logged, and nothing else.
    void compare_secrets() {
        auto const& old = old_.contract().secret_members();
        auto const& now = now_.contract().secret_members();
        auto const add = [this](auto const& from, auto const& in, char const* what,
                                std::string Change::*value) {
            for (auto const& name : from) {
                if (std::find(in.begin(), in.end(), name) != in.end()) continue;
                Change change;
                change.what = what;
                change.*value = '"' + name + '"';
                changes_.push_back(std::move(change));
            }
        };
        add(now, old, "secret property added: it is not logged", &Change::after);
        add(old, now, "secret property removed: it may be logged", &Change::before);
    }

    // A change of a schema that several operations have is one; of their responses it is a part of
    // that of requests, if there is one.
    void join_alike() {
        using Key = std::tuple<std::string, std::string, std::string, std::string, bool>;
        auto const key_of = [](Change const& one, bool is_of_response) {
            return Key{one.where, one.what, one.before, one.after, is_of_response};
        };
        std::map<Key, std::size_t> first;
        for (std::size_t i = 0; i < changes_.size(); ++i)
            first.emplace(key_of(changes_[i], changes_[i].is_of_response), i);
        for (bool const is_of_response : {false, true}) {
            for (std::size_t i = 0; i < changes_.size(); ++i) {
                Change& one = changes_[i];
                if (one.is_of_response != is_of_response) continue;
                auto const of_request = first.find(key_of(one, false));
                bool const has_request = is_of_response && of_request != first.end();
                std::size_t const own = has_request ? of_request->second
                                                    : first.at(key_of(one, is_of_response));
                if (one.where.empty() || own == i) continue;
                Change& into = changes_[own];
                auto& names = has_request ? into.in_responses_of : into.others;
                bool const is_known =
                    (!has_request && one.operation == into.operation)
                    || std::find(names.begin(), names.end(), one.operation) != names.end();
                if (!is_known) names.push_back(one.operation);
                one.what.clear();
            }
        }
        std::erase_if(changes_, [](Change const& one) { return one.what.empty(); });
    }

    DiffDocument const& old_;
    DiffDocument const& now_;
    Changes& changes_;
    Implication forward_;
    Implication backward_;
};

} // namespace

Diff compare_documents(DiffSide const& old, DiffSide const& now) {
    Diff diff;
    auto const before = load(old, diff.problems);
    auto const after = load(now, diff.problems);
    if (before == nullptr || after == nullptr) return diff;
    Comparison{*before, *after, diff.changes}.run();
    diff.is_compared = true;
    return diff;
}

Diff compare_schemas(std::string_view old, std::string_view now) {
    Diff diff;
    auto const read = [&diff](std::string_view text, char const* name) {
        auto loader = std::make_unique<Loader>(yaml::load_text(text, name, yaml::Syntax::full),
                                               LoadOptions{});
        auto loaded = loader->load_schema(Formats::assert_them);
        diff.problems.insert(diff.problems.end(), loaded.problems.begin(), loaded.problems.end());
        if (!loaded.contract) return std::unique_ptr<DiffDocument>{};
        return std::make_unique<DiffDocument>(std::move(loader), std::move(loaded.contract));
    };
    auto const before = read(old, "old");
    auto const after = read(now, "new");
    if (before == nullptr || after == nullptr) return diff;
    Implication forward{Implication::From::enforced};
    Implication backward{Implication::From::enforced};
    Explainer{forward, backward, {}, diff.changes}.compare(before->root(), after->root());
    diff.is_compared = true;
    return diff;
}

} // namespace sallyport::contract
