// Bodies that are a series of items: JSON Lines, JSON text sequences, and event streams.
#include "gateway/contract/items.h"

#include "gateway/contract/forms/event_stream.h"

#include <algorithm>
#include <string>
#include <utility>

namespace sallyport::contract {

namespace {

constexpr char record_separator = '\x1E'; // RFC 7464, 2.1
constexpr char line_feed = '\n';

} // namespace

std::optional<ItemSplitter::Item> ItemSplitter::next(std::string_view bytes, MoreFollow more) {
    if (syntax_ == BodySyntax::events) return next_event(bytes, more);
    auto const item =
        syntax_ == BodySyntax::lines ? next_line(bytes, more) : next_record(bytes, more);
    searched_ = item ? 0 : bytes.size();
    return item;
}

// The last line may end without a line feed. A line without a value is an item, and not JSON:
// readers differ in what they make of it.
std::optional<ItemSplitter::Item> ItemSplitter::next_line(std::string_view bytes, MoreFollow more) {
    auto const end = bytes.find(line_feed, searched_);
    if (end != std::string_view::npos) return Item{bytes.substr(0, end), end + 1};
    if (more == MoreFollow::yes || bytes.empty()) return std::nullopt;
    return Item{bytes, bytes.size()};
}

// A text may contain line feeds, and no record separator, which JSON escapes. It ends with a line
// feed, without which its reader could not know that it is whole (RFC 7464, 2.4).
std::optional<ItemSplitter::Item> ItemSplitter::next_record(std::string_view bytes,
                                                            MoreFollow more) {
    if (bytes.empty()) return std::nullopt;
    if (bytes.front() != record_separator) return Item{{}, 0, Malformed::no_record_separator};
    auto const end = bytes.find(record_separator, std::max<std::size_t>(searched_, 1));
    if (end == std::string_view::npos && more == MoreFollow::yes) return std::nullopt;
    auto const size = std::min(end, bytes.size());
    auto const text = bytes.substr(1, size - 1);
    if (text.empty() || text.back() != line_feed)
        return Item{text, size, Malformed::unfinished_record};
    return Item{text, size};
}

// An event ends with a blank line. What has none at the end of the body is no event for browsers,
// and one for other readers (HTML Living Standard, 9.2.6), so that it is read like one. A CR is the
// end of a line only before a LF: read_event().
std::optional<ItemSplitter::Item> ItemSplitter::next_event(std::string_view bytes,
                                                           MoreFollow more) {
    std::size_t size = 0;
    while (size == 0) {
        auto const end = bytes.find(line_feed, searched_);
        if (end == std::string_view::npos) {
            searched_ = bytes.size();
            if (more == MoreFollow::yes || bytes.empty()) return std::nullopt;
            size = bytes.size();
            break;
        }
        auto const line = bytes.substr(line_, end - line_);
        if (line.empty() || line == "\r") size = end + 1;
        searched_ = line_ = end + 1;
    }
    searched_ = line_ = 0;
    return Item{bytes.substr(0, size), size};
}

std::size_t ItemValidator::take(std::string_view bytes, MoreFollow more,
                                ItemContext const& context) {
    std::size_t valid = 0;
    while (auto const item = splitter_.next(bytes.substr(valid), more)) {
        auto const begin = static_cast<std::size_t>(item->text.data() - bytes.data()) - valid;
        if (item->fault != Malformed::none) {
            refuse(item->fault);
            return valid;
        }
        bool const is_event = type_.syntax == BodySyntax::events;
        bool const is_valid = is_event ? check_event(item->text, context)
                                       : check(item->text, offset_ + begin, context);
        if (!is_valid) return valid;
        valid += item->size;
        offset_ += item->size;
    }
    return valid;
}

void ItemValidator::refuse(Malformed fault) {
    Report& report = reports_.report();
    report.outcome = Outcome::malformed;
    report.malformed = fault;
    report.offset = offset_;
}

bool ItemValidator::check(std::string_view text, std::optional<std::size_t> begin,
                          ItemContext const& context) {
    auto& found =
        context.validator.validate(*type_.schema, text, context.conditions, context.levels);
    if (found.outcome == Outcome::malformed) {
        if (found.malformed == Malformed::empty) found.malformed = Malformed::empty_item;
        if (begin) found.offset = *begin + found.offset.value_or(0);
        else found.offset.reset();
    }
    reports_.add(found);
    return reports_.report().outcome == Outcome::valid;
}

// Comments and blank lines are no event.
bool ItemValidator::check_event(std::string_view lines, ItemContext const& context) {
    auto const fault = read_event(lines, event_);
    if (fault != Malformed::none) {
        refuse(fault);
        return false;
    }
    if (event_.empty()) return true;
    auto const size = event_.size();
    event_.append(body_padding, '\0');
    return check(std::string_view{event_}.substr(0, size), std::nullopt, context);
}

void ItemReports::add(Report& item) {
    report_.outcome = item.outcome;
    report_.malformed = item.malformed;
    report_.offset = item.offset;
    std::string const prefix = "/" + std::to_string(index_++);
    for (Violation& violation : item.violations) {
        violation.pointer.insert(0, prefix);
        violation.pointer_as_sent.put_before(prefix);
        report_.violations.push_back(std::move(violation));
    }
    for (Violation& violation : item.reported) {
        if (kept_reported_ == max_violations) {
            report_.more_reported = true;
            add_not_kept(report_.not_kept, {violation.rule, violation.level, 1});
            continue;
        }
        ++kept_reported_;
        violation.pointer.insert(0, prefix);
        report_.reported.push_back(std::move(violation));
    }
    report_.more_violations = report_.more_violations || item.more_violations;
    report_.more_reported = report_.more_reported || item.more_reported;
    for (NotKept const& more : item.not_kept)
        add_not_kept(report_.not_kept, more);
    report_.unknown_members += item.unknown_members;
    for (auto const name : item.deprecated_members) {
        auto& names = report_.deprecated_members;
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
}

} // namespace sallyport::contract
