// Which problems of a reload are new: the log has the warnings of a configuration once, not again
// at each reload.
#pragma once

#include "gateway/lifecycle/reload.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::lifecycle {

/// The problems of the last configuration that was adopted.
class ReportedProblems {
public:
    explicit ReportedProblems(std::vector<std::string> const& first) {
        for (auto const& one : first)
            known_.insert(without_lines(one));
    }

    /// The problems of an attempt that the adopted configuration did not have, or all of them if it
    /// was rejected: views into `attempt`. Lines do not count: what stands above changes them.
    [[nodiscard]] std::vector<std::string const*> take_new(LoadAttempt const& attempt) {
        std::vector<std::string const*> fresh;
        std::set<std::string> all;
        for (auto const& one : attempt.problems) {
            auto key = without_lines(one);
            if (!attempt.adopted || !known_.contains(key)) fresh.push_back(&one);
            all.insert(std::move(key));
        }
        if (attempt.adopted) known_ = std::move(all);
        return fresh;
    }

private:
    // `file:12:3: what, the next on line 40` without 12, 3 and 40.
    [[nodiscard]] static std::string without_lines(std::string_view text) {
        std::string out{text};
        auto const end_of_digits = [&out](std::size_t at) {
            return std::min(out.find_first_not_of("0123456789", at), out.size());
        };
        for (std::size_t at = out.find(':'); at < out.size(); at = out.find(':', at + 1)) {
            std::size_t const colon = end_of_digits(at + 1);
            std::size_t const end = colon < out.size() ? end_of_digits(colon + 1) : colon;
            bool const is_place = colon > at + 1 && end > colon + 1 && out[colon] == ':'
                                  && end < out.size() && out[end] == ':';
            if (!is_place) continue;
            out.erase(at, end - at);
            break;
        }
        constexpr std::string_view before_line = "the next on line ";
        if (auto const at = out.rfind(before_line); at != std::string::npos)
            out.erase(at + before_line.size(),
                      end_of_digits(at + before_line.size()) - at - before_line.size());
        return out;
    }

    std::set<std::string> known_;
};

} // namespace sallyport::lifecycle
