// Builds the problem body and the fields of a refusal.
#include "gateway/respond/problem.h"

#include "gateway/http/scan.h"
#include "gateway/observe/json_text.h"
#include "gateway/respond/reason_table.h"

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <string>

namespace sallyport::respond {

namespace {

using observe::JsonText;
using pipeline::Denial;
using pipeline::Reason;
using pipeline::ResponseField;

// The longest text of a member, in bytes as written.
constexpr std::size_t longest_text = 2048;
constexpr std::size_t most_violations = 32;
// Of all texts of a response with a violation or two.
constexpr std::size_t usual_room = std::size_t{8} * 1024;
constexpr std::size_t usual_violations = 4;
// Of the error and another text: both are composed of pieces, and shall not grow with each.
constexpr std::size_t usual_text = 320;

bool is_enforced(contract::Violation const& violation) {
    return violation.level == contract::Level::enforce;
}

// An internal reason cannot be sent: reaching this is a bug.
Reason public_reason(Denial const& denial) {
    return status_of(denial.reason) == 0 ? Reason::internal_error : denial.reason;
}

// The largest size of a text: every byte escaped, with the name of its member, quotes and the mark
// of a cut.
std::size_t room_for(std::size_t size) {
    return std::min(6 * size, longest_text) + 40;
}

// RFC 9110, 5.5. An invalid field value could become a field of its own, or the end of the head: it
// is not written.
bool is_field_value(std::string_view value) {
    // Nearly all of them are printable ASCII.
    if (http::printable_prefix(value) == value.size()) return true;
    return std::all_of(value.begin(), value.end(), [](char character) {
        auto const byte = static_cast<unsigned char>(character);
        return byte == '\t' || (byte >= 0x20 && byte != 0x7F);
    });
}

bool is_retry_after(ResponseField const& field) {
    return field.name == "Retry-After";
}

} // namespace

// Writes one problem body. Only this class can read the text that the client sent, so that no other
// code can disclose it.
class ProblemWriter {
public:
    ProblemWriter(Denial const& denial, std::string_view request_id,
                  pipeline::ProblemMembers members)
        : denial_{denial}, request_id_{request_id}, members_{members}, reason_{
                                                                           public_reason(denial)} {
        // A bug is reported without details.
        if (reason_ != denial.reason) return;
        for (auto const& violation : denial.violations)
            if (is_enforced(violation)) add(violation);
    }

    std::string write() {
        compose_error();
        auto const room = room_for_all();
        // Much larger than usual texts: not cleared first, and on the heap only for the longest.
        std::array<char, usual_room> usual;
        auto const larger =
            room > usual.size() ? std::make_unique_for_overwrite<char[]>(room) : nullptr;
        auto* const memory = larger ? larger.get() : usual.data();
        JsonText out{memory, memory + room};
        auto const& row = row_of(reason_);
        out.raw("{\"type\":\"urn:sallyport:problem:", to_string(reason_), "\",\"title\":");
        out.string(row.title, longest_text);
        out.raw(",\"status\":", row.status, ",\"detail\":");
        out.string(detail(), longest_text);
        if (members_ == pipeline::ProblemMembers::standard) {
            // RFC 9457, 3.1.5: a URI of this occurrence; RFC 9562, 4: the form of ours.
            out.raw(",\"instance\":");
            out.string("urn:uuid:" + std::string{request_id_}, longest_text);
        } else {
            out.raw(",\"requestId\":");
            out.string(request_id_, longest_text);
            out.raw(",\"error\":");
            out.string(error(), longest_text);
            out.raw(",\"message\":");
            out.string(detail(), longest_text);
        }
        out.raw(",\"reason\":\"", to_string(reason_), "\"");
        put_violations(out);
        out.raw("}");
        return std::string{out.text()};
    }

private:
    // One entry of the list: a violation, or one of the names that it is about.
    struct Entry {
        contract::Violation const* violation;
        std::size_t which;
    };

    void add(contract::Violation const& violation) {
        auto const count = contract::count_for_client(violation);
        if (violation.undeclared_left != 0) has_more_ = true;
        for (std::size_t which = 0; which < count; ++which) {
            if (entries_.size() == most_violations) {
                has_more_ = true;
                return;
            }
            entries_.push_back({&violation, which});
        }
    }

    // The detail with its code in front, as clients of the management API expect it in `error`: the
    // denial's own sentence, or that of the first violation, or that of the reason.
    void compose_error() {
        auto const& row = row_of(reason_);
        text_.reserve(usual_text);
        text_ += code_of(row.status);
        text_ += ": ";
        begin_of_detail_ = text_.size();
        if (reason_ == denial_.reason && !denial_.public_detail.empty()) {
            text_ += denial_.public_detail;
        } else if (!entries_.empty()) {
            append_first_violation();
        } else {
            text_ += row.detail;
        }
        if (text_.back() != '.') text_ += '.';
        size_of_error_ = text_.size();
    }

    std::string_view error() const { return std::string_view{text_}.substr(0, size_of_error_); }
    std::string_view detail() const { return error().substr(begin_of_detail_); }

    // The text that `append` adds to it, until the next one is composed.
    template <class Append>
    std::string_view composed(Append const& append) {
        text_.resize(size_of_error_);
        append(text_);
        return std::string_view{text_}.substr(size_of_error_);
    }

    void append_first_violation() {
        auto const& [violation, which] = entries_.front();
        switch (violation->in) {
        case contract::ValuePlace::body: text_ += "The request body breaks the contract: "; break;
        case contract::ValuePlace::path: text_ += "The path parameter "; break;
        case contract::ValuePlace::query: text_ += "The query parameter "; break;
        case contract::ValuePlace::header: text_ += "The header "; break;
        case contract::ValuePlace::cookie: text_ += "The cookie "; break;
        // Violations there are only logged, and cause no denial.
        case contract::ValuePlace::response: break;
        }
        begin_of_message_ = text_.size();
        contract::append_message(text_, *violation, which, key_);
        size_of_message_ = text_.size() - begin_of_message_;
        auto const further = entries_.size() - 1;
        // The list is incomplete, and the text must say so.
        bool const is_more = has_more_ || denial_.more_violations;
        if (further == 0) return;
        text_ += is_more ? " (and more than " : " (and ";
        text_ += std::to_string(further);
        text_ += " more)";
    }

    std::size_t room_for_all() const {
        constexpr std::size_t room_for_constants = 512;
        auto room =
            room_for_constants + 4 * room_for(size_of_error_) + room_for(request_id_.size());
        for (auto const& entry : entries_) {
            auto const& one = *entry.violation;
            auto const pointer = room_for_pointer(entry);
            // Each `~` and `/` of a name takes two bytes, each control of it six.
            auto const message =
                6 * pointer + one.name.size() + 2 * one.missing.size() + one.phrase.size() + 10;
            room += room_for(pointer) + room_for(one.name.size()) + room_for(one.rule.size())
                    + room_for(one.expected.size()) + room_for(message)
                    + room_for(one.rule_pointer.size()) + room_for(one.source.size());
        }
        return room;
    }

    std::size_t room_for_pointer(Entry const& entry) const {
        auto const& one = *entry.violation;
        auto const size = std::max(one.pointer.size(), one.pointer_as_sent.read(key_).size()) + 1;
        if (one.undeclared.empty()) return size;
        return size + 2 * one.undeclared[entry.which].read(key_).size();
    }

    // The violations that caused the refusal; reported ones are only logged.
    void put_violations(JsonText& out) {
        std::string_view separator = ",\"violations\":[";
        for (auto const& entry : entries_) {
            out.raw(separator);
            put_violation(out, entry);
            separator = ",";
        }
        if (!entries_.empty()) out.raw("]");
    }

    std::string_view message_of(Entry const& entry) {
        // That of the first may be in the detail.
        if (&entry == &entries_.front() && size_of_message_ != 0)
            return error().substr(begin_of_message_, size_of_message_);
        return composed([&](std::string& text) {
            contract::append_message(text, *entry.violation, entry.which, key_);
        });
    }

    void put_violation(JsonText& out, Entry const& entry) {
        auto const& violation = *entry.violation;
        auto const pointer = composed([&](std::string& text) {
            contract::append_pointer(text, violation, entry.which, key_);
        });
        out.raw("{\"pointer\":");
        out.string(pointer, longest_text);
        out.raw(",\"in\":\"", contract::name_of(violation.in), "\"");
        if (!violation.name.empty()) {
            out.raw(",\"name\":");
            out.string(violation.name, longest_text);
        }
        out.raw(",\"rule\":");
        out.string(violation.rule, longest_text);
        // JSON text of the contract's own; a too long one is omitted, not truncated.
        if (!violation.expected.empty() && violation.expected.size() <= longest_text) {
            out.raw(",\"expected\":", violation.expected);
        }
        out.raw(",\"message\":");
        out.string(message_of(entry), longest_text);
        out.raw(",\"rule_pointer\":");
        out.string(violation.rule_pointer, longest_text);
        if (!violation.source.empty()) {
            out.raw(",\"source\":");
            out.string(violation.source, longest_text);
        }
        out.raw("}");
    }

    Denial const& denial_;
    std::string_view request_id_;
    pipeline::ProblemMembers members_;
    Reason reason_;
    contract::ToItsSender key_;
    boost::container::small_vector<Entry, usual_violations> entries_;
    bool has_more_ = false; // more than entries_ has room for
    std::string text_;      // the error, then one text after the other of the violations
    std::size_t size_of_error_ = 0;
    std::size_t begin_of_detail_ = 0;
    std::size_t begin_of_message_ = 0; // of the first violation, in the detail
    std::size_t size_of_message_ = 0;
};

std::string problem_body(Denial const& denial, std::string_view request_id,
                         pipeline::ProblemMembers members) {
    return ProblemWriter{denial, request_id, members}.write();
}

Response::Response(Denial const& denial, std::string_view request_id, Content content,
                   std::chrono::system_clock::time_point now, pipeline::ProblemMembers members)
    : date_{now}, body_{problem_body(denial, request_id, members)}, content_length_{body_.size()} {
    if (content == Content::omit) body_.clear();
    auto const reason = public_reason(denial);
    status_ = status_of(reason);
    fields_.push_back({"Date", date_}); // RFC 9110, 6.6.1
    fields_.push_back({"Content-Type", "application/problem+json"});
    fields_.push_back({"Cache-Control", "no-store"});
    if (is_field_value(request_id)) fields_.push_back({"X-Request-Id", request_id});
    for (auto const& field : denial.fields) {
        if (is_field_value(field.value)) fields_.push_back({field.name, field.value});
    }
    auto const has_retry_after =
        std::any_of(denial.fields.begin(), denial.fields.end(), is_retry_after);
    if (reason == Reason::overloaded && !has_retry_after) fields_.push_back({"Retry-After", "1"});
}

} // namespace sallyport::respond
