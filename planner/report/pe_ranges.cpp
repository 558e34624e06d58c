#include <fmt/format.h>

#include <charconv>

#include "planner/report/plan_yaml.h"

namespace dfsim {

namespace {

/// Takes a number from the front of `text`.
std::optional<std::uint32_t> take_number(std::string_view& text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

bool take(std::string_view& text, std::string_view expected) {
  if (text.substr(0, expected.size()) != expected) return false;
  text.remove_prefix(expected.size());
  return true;
}

}  // namespace

std::vector<std::string> pe_ranges(const std::vector<PeId>& pes) {
  std::vector<std::string> ranges;
  for (std::size_t begin = 0; begin < pes.size();) {
    const auto id = [&](std::size_t i) { return static_cast<std::int64_t>(pes[i].value()); };
    std::size_t last = begin;
    const std::int64_t step = begin + 1 < pes.size() ? id(begin + 1) - id(begin) : 0;
    if (step == 1 || step == -1)
      while (last + 1 < pes.size() && id(last + 1) - id(last) == step) ++last;
    ranges.push_back(last == begin ? std::to_string(id(begin)) : fmt::format("{}-{}", id(begin), id(last)));
    begin = last + 1;
  }
  return ranges;
}

std::optional<std::vector<PeId>> pes_of_ranges(const std::vector<std::string>& ranges) {
  constexpr std::size_t kMost = 1u << 20;  // more PEs than any hardware has: a slip of the pen
  std::vector<PeId> pes;
  for (const std::string& range : ranges) {
    std::string_view text = range;
    const auto first = take_number(text);
    if (!first) return std::nullopt;
    std::optional<std::uint32_t> last = first;
    if (take(text, "-")) last = take_number(text);
    if (!last || !text.empty()) return std::nullopt;
    const bool down = *last < *first;
    const std::size_t count = std::size_t{down ? *first - *last : *last - *first} + 1;
    if (pes.size() + count > kMost) return std::nullopt;
    for (std::size_t i = 0; i < count; ++i)
      pes.emplace_back(down ? *first - static_cast<std::uint32_t>(i)
                            : *first + static_cast<std::uint32_t>(i));
  }
  return pes;
}

std::optional<Submesh> submesh_from(const std::string& whole) {
  std::string_view text = whole;
  Submesh box;
  if (!take(text, "chip")) return std::nullopt;
  const auto noc = take_number(text);
  if (!noc || !take(text, "[")) return std::nullopt;
  box.noc = NocId(*noc);
  const std::pair<std::uint32_t*, std::uint32_t*> sides[] = {
      {&box.x, &box.width}, {&box.y, &box.height}, {&box.z, &box.depth}};
  for (int d = 0; d < 3; ++d) {
    if (d == 2 && take(text, "]")) break;
    if (d > 0 && !take(text, ",")) return std::nullopt;
    const auto begin = take_number(text);
    if (!begin || !take(text, ":")) return std::nullopt;
    const auto end = take_number(text);
    if (!end || *end <= *begin) return std::nullopt;
    *sides[d].first = *begin;
    *sides[d].second = *end - *begin;
    if (d == 2 && !take(text, "]")) return std::nullopt;
  }
  return text.empty() ? std::optional(box) : std::nullopt;
}

}  // namespace dfsim
