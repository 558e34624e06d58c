// planner/frontend/draft.h: a model between its file and its graph: repeats expanded, names not yet looked
// up.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "planner/graph/graph.h"
#include "planner/ops/operator.h"
#include "sim/base/errors.h"
#include "sim/base/yaml.h"

namespace dfsim {

inline constexpr std::size_t kMaxOperators = 10'000;  ///< after expanding repeats
inline constexpr std::size_t kMaxRankOfTensor = kMaxRank - 1;
inline constexpr std::uint64_t kMaxExtent = (1ull << 31) - 1;  ///< of a dimension
inline constexpr std::uint64_t kMaxElements = 1ull << 31;      ///< of a tensor, one sample

/// Collects mistakes, one of each category at each place: what is wrong in a repeat is said once.
class Mistakes {
 public:
  explicit Mistakes(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}
  /// True for the first mistake of `category` at `where`, which is then to be reported.
  bool is_new(const SourceLocation& where, const std::string& category) {
    return seen_.emplace(where.file, where.line, where.column, category).second;
  }
  void report(const SourceLocation& where, const std::string& category, std::string what,
              std::string hint = {}) {
    if (is_new(where, category)) diagnostics_.error(where, std::move(what), std::move(hint));
  }
  /// One that is_new() has let pass: for messages that take time to make.
  void add(const SourceLocation& where, std::string what, std::string hint) {
    diagnostics_.error(where, std::move(what), std::move(hint));
  }

 private:
  Diagnostics& diagnostics_;
  std::set<std::tuple<std::string, int, int, std::string>> seen_;
};

struct DraftName {
  std::string text;
  SourceLocation where;
};

struct DraftOperator {
  std::string name;  ///< with the prefixes of the repeats around it
  std::string kind;
  std::map<std::string, Attribute> attributes;
  std::vector<DraftName> inputs;   ///< as written, to be looked up from `scope`
  std::vector<DraftName> outputs;  ///< stated, with prefix; empty: named like the operator
  std::vector<DraftName> after;    ///< operators, to be looked up from `scope`
  SourceLocation where;
  std::size_t scope = 0;  ///< index in Draft::scopes
  bool sound = true;      ///< false: something about it was reported; its shapes are not looked at
};

struct DraftInput {
  DraftName name;
  DataType type = DataType::fp16;
  std::vector<std::uint32_t> shape;
  bool sound = true;  ///< false: something about it was reported; what reads it is not looked at
};

/// A name that stands for another one.
struct Alias {
  std::string name;
  std::size_t scope = 0;  ///< where `name` is looked up
};

/// One iteration of a repeat, or the whole model (index 0).
struct Scope {
  std::size_t parent = 0;
  std::string prefix;
  std::map<std::string, Alias> carried;
};

struct Draft {
  std::string name;
  DataType type = DataType::fp16;
  std::vector<DraftInput> inputs;
  std::vector<DraftName> outputs;
  std::vector<DraftOperator> operators;
  std::vector<Scope> scopes;
  std::map<std::string, Alias> aliases;  ///< full names of what repeats carried out
  bool sizes_known = true;               ///< false: a dimension is wrong, so shapes mean nothing
  bool complete = true;                  ///< false: too many operators, the rest was left out
};

/// Reads everything and asks for every key that is known.
Draft read_draft(const YamlValue& root, const std::string& default_name, Mistakes& mistakes);

/// A tensor as the draft knows it.
struct DraftTensor {
  bool is_input = false;
  std::size_t index = 0;   ///< in Draft::inputs or Draft::operators
  std::size_t output = 0;  ///< of the operator
  bool numbered = false;   ///< said which output
};

/// The draft with all names looked up.
struct Wiring {
  std::vector<std::vector<DraftTensor>> inputs;  ///< per operator; shorter if names were unknown
  std::vector<std::vector<std::size_t>> after;   ///< per operator: operators
  std::vector<std::pair<DraftTensor, SourceLocation>> outputs;
  std::vector<std::size_t> order;  ///< topological; empty if there is a cycle
};

/// Looks up names and sorts. Reports unknown and duplicate names, cycles, unused inputs and operators.
Wiring wire(Draft& draft, Mistakes& mistakes);

/// Infers shapes in order and builds the graph. Reports what does not fit; the graph is then incomplete.
Graph build(const Draft& draft, const Wiring& wiring, Mistakes& mistakes);

}  // namespace dfsim
