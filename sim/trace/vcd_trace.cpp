#include "sim/trace/vcd_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace dfsim {

namespace {

constexpr unsigned kBits = 16;
constexpr std::size_t kFlushBytes = 1 << 16;

/// Short codes of printable characters, '!' to '~'.
std::string code_of(std::uint32_t signal) {
  std::string code;
  do {
    code += static_cast<char>('!' + signal % 94);
    signal /= 94;
  } while (signal > 0);
  return code;
}

/// "chip0 pe 3,4 (stage1)" as "chip0_pe_3_4_stage1".
std::string identifier(const std::string& name) {
  std::string out;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      out += c;
    else if (!out.empty() && out.back() != '_')
      out += '_';
  }
  while (!out.empty() && out.back() == '_') out.pop_back();
  return out.empty() ? "unnamed" : out;
}

std::string value_text(double value, bool real, const std::string& code) {
  if (real) return fmt::format("r{} {}\n", value, code);
  return fmt::format("b{:b} {}\n", static_cast<std::uint64_t>(value), code);
}

}  // namespace

void VcdTrace::process(const TraceProcess& process) { scopes_[process.id] = process.name; }

void VcdTrace::thread(const TraceThread& thread) { threads_[thread.id] = {thread.process, thread.name}; }

void VcdTrace::counter_track(const TraceCounter& counter) {
  counters_[counter.id] = signal(counter.process, counter.name, true);
}

std::uint32_t VcdTrace::signal(std::uint32_t process, const std::string& name, bool real) {
  const auto [it, added] = signals_.emplace(std::pair(process, name), known_.size());
  if (added) known_.push_back({name, real});
  return it->second;
}

void VcdTrace::slice(const TraceSlice& slice) {
  if (slice.end == slice.start) return;
  const auto& [process, track] = threads_.at(slice.thread);
  const bool stall = slice.category == "stall";
  const std::uint32_t to = signal(process, stall ? "stall " + std::string(slice.name) : track, false);
  changes_.push_back({slice.start, to, 1});
  changes_.push_back({slice.end, to, -1});
}

void VcdTrace::counter(const TraceCounter& track, std::uint64_t cycle, double value) {
  changes_.push_back({cycle, counters_.at(track.id), value});
}

void VcdTrace::declare(const TraceHead& head) {
  std::string text = "$comment";
  for (const TraceArgument& each : head) {
    // "$end" in a name would end the comment.
    std::string value = each.is_text ? each.text : std::to_string(each.number);
    std::replace(value.begin(), value.end(), '$', '_');
    text += fmt::format("\n  {}: {}", each.name, value);
  }
  text += "\n$end\n$timescale 1ps $end\n$scope module dfsim $end\n";
  std::uint32_t open = 0;
  std::map<std::string, int> taken;  // within a scope
  for (const auto& [key, number] : signals_) {
    const auto& [process, name] = key;
    if (process != open) {
      if (open != 0) text += "$upscope $end\n";
      text += fmt::format("$scope module {} $end\n", identifier(scopes_.at(process)));
      open = process;
      taken.clear();
    }
    std::string unique = identifier(name);
    if (const int before = taken[unique]++; before > 0) unique += fmt::format("_{}", before);
    text += known_[number].real ? fmt::format("$var real 64 {} {} $end\n", code_of(number), unique)
                                : fmt::format("$var wire {} {} {} $end\n", kBits, code_of(number), unique);
  }
  if (open != 0) text += "$upscope $end\n";
  text += "$upscope $end\n$enddefinitions $end\n";
  out_.write(text);
}

void VcdTrace::dump() {
  std::vector<double> now(known_.size(), 0);
  std::string text = "#0\n$dumpvars\n";
  for (std::uint32_t s = 0; s < known_.size(); ++s) text += value_text(0, known_[s].real, code_of(s));
  text += "$end\n";
  std::uint64_t told = 0;
  for (std::size_t i = 0; i < changes_.size();) {
    // All changes of a signal at one time are one.
    const std::uint64_t cycle = changes_[i].cycle;
    const std::uint32_t which = changes_[i].signal;
    double value = known_[which].real ? 0 : now[which];
    for (; i < changes_.size() && changes_[i].cycle == cycle && changes_[i].signal == which; ++i)
      value = known_[which].real ? changes_[i].value : value + changes_[i].value;
    if (value == now[which]) continue;
    if (cycle != told) text += fmt::format("#{}\n", cycle * cycle_ps_);
    told = cycle;
    now[which] = value;
    text += value_text(value, known_[which].real, code_of(which));
    if (text.size() < kFlushBytes) continue;
    out_.write(text);
    text.clear();
  }
  out_.write(text);
}

void VcdTrace::finish(const TraceHead& head) {
  std::stable_sort(changes_.begin(), changes_.end(), [](const Change& a, const Change& b) {
    return std::pair(a.cycle, a.signal) < std::pair(b.cycle, b.signal);
  });
  declare(head);
  dump();
}

}  // namespace dfsim
