#include "sim/mem/reference/pattern.h"

#include <functional>
#include <map>

#include "sim/base/errors.h"

namespace dfsim {
namespace {

class XorShift64 {
 public:
  std::uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }
  bool coin() { return next() & 1; }

 private:
  std::uint64_t state_ = 88172645463325252ull;
};

class Generated : public Pattern {
 public:
  using Function = std::function<PatternRequest(std::uint64_t i, const PatternSpace&, XorShift64&)>;
  Generated(Function function, const PatternSpace& space) : function_(std::move(function)), space_(space) {}
  PatternRequest next(std::uint64_t i) override {
    PatternRequest request = function_(i, space_, random_);
    request.burst %= space_.bursts;
    return request;
  }

 private:
  Function function_;
  PatternSpace space_;
  XorShift64 random_;
};

Generated::Function stride(std::uint64_t (*bytes)(const PatternSpace&)) {
  return [bytes](std::uint64_t i, const PatternSpace& space, XorShift64&) {
    return PatternRequest{i * (bytes(space) / space.burst_bytes), false};
  };
}

// Stream s of `count` starts at s / count of the memory plus (977 s mod 4096) requests.
Generated::Function streams(std::uint64_t count) {
  return [count](std::uint64_t i, const PatternSpace& space, XorShift64&) {
    const std::uint64_t s = i % count;
    return PatternRequest{s * (space.bursts / count) + 977 * s % 4096 + i / count, false};
  };
}

const std::map<std::string, Generated::Function>& functions() {
  using Space = PatternSpace;
  using Random = XorShift64;
  static const std::map<std::string, Generated::Function> kFunctions{
      {"seqread",
       [](std::uint64_t i, const Space&, Random&) {
         return PatternRequest{i, false};
       }},
      {"seqwrite",
       [](std::uint64_t i, const Space&, Random&) {
         return PatternRequest{i, true};
       }},
      {"seqmix",
       [](std::uint64_t i, const Space&, Random& r) {
         return PatternRequest{i, r.coin()};
       }},
      {"twostreammix",
       [](std::uint64_t i, const Space& s, Random&) {
         const std::uint64_t upper = s.bursts / 2 + 3 * s.page_bytes / s.burst_bytes;
         return i % 2 == 0 ? PatternRequest{i / 2, false} : PatternRequest{upper + i / 2, true};
       }},
      {"randread",
       [](std::uint64_t, const Space& s, Random& r) {
         return PatternRequest{r.next() % s.bursts, false};
       }},
      {"randwrite",
       [](std::uint64_t, const Space& s, Random& r) {
         return PatternRequest{r.next() % s.bursts, true};
       }},
      {"randmix",
       [](std::uint64_t, const Space& s, Random& r) {
         const std::uint64_t burst = r.next() % s.bursts;
         return PatternRequest{burst, r.coin()};
       }},
      {"stridepage", stride([](const Space& s) { return s.page_bytes; })},
      {"stridesamebank", stride([](const Space& s) { return s.same_bank_step; })},
      {"strided4k", stride([](const Space&) { return std::uint64_t{4096}; })},
      {"streams4", streams(4)},
      {"streams16", streams(16)},
  };
  return kFunctions;
}

}  // namespace

std::vector<std::string> pattern_names() {
  std::vector<std::string> names;
  for (const auto& [name, function] : functions()) names.push_back(name);
  return names;
}

std::unique_ptr<Pattern> make_pattern(const std::string& name, const PatternSpace& space) {
  const auto it = functions().find(name);
  if (it == functions().end()) throw SimulationError("unknown DRAM pattern '" + name + "'");
  return std::make_unique<Generated>(it->second, space);
}

}  // namespace dfsim
