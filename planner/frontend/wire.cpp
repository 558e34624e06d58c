// planner/frontend/wire.cpp: names to operators and tensors.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "planner/frontend/draft.h"
#include "planner/frontend/order.h"

namespace dfsim {

namespace {

constexpr int kMaxHints = 100;  ///< finding the nearest name takes time; enough is enough

std::string place(const SourceLocation& where) {
  return where.line > 0 ? fmt::format("{}:{}:{}", where.file, where.line, where.column) : where.file;
}

class Wirer {
 public:
  Wirer(Draft& draft, Mistakes& mistakes) : draft_(draft), mistakes_(mistakes) {}

  Wiring run() {
    collect_names();
    wiring_.inputs.resize(draft_.operators.size());
    wiring_.after.resize(draft_.operators.size());
    for (std::size_t op = 0; op < draft_.operators.size(); ++op) connect(op);
    connect_outputs();
    report_unused();
    wiring_.order = topological_order(draft_, wiring_, mistakes_);
    return std::move(wiring_);
  }

 private:
  void collect_names() {
    for (std::size_t i = 0; i < draft_.inputs.size(); ++i)
      add_tensor(draft_.inputs[i].name, {true, i, 0, true});
    for (std::size_t i = 0; i < draft_.operators.size(); ++i) {
      DraftOperator& op = draft_.operators[i];
      const auto [it, added] = operators_.emplace(op.name, i);
      if (!added) {
        mistakes_.report(op.where, "duplicate",
                         fmt::format("there are two operators '{}'; the other is at {}", op.name,
                                     place(draft_.operators[it->second].where)),
                         draft_.operators[it->second].where == op.where
                             ? "give the repeat a name, or put its index into the name of the operator"
                             : "");
        op.sound = false;
        continue;
      }
      if (op.outputs.empty()) add_tensor({op.name, op.where}, {false, i, 0, false});
      for (std::size_t o = 0; o < op.outputs.size(); ++o) add_tensor(op.outputs[o], {false, i, o, true});
    }
    for (const auto& [name, alias] : draft_.aliases)
      if (tensors_.count(name))
        mistakes_.report(where_.at(name), "duplicate",
                         fmt::format("the name '{}' is that of a tensor carried out of a repeat", name));
  }

  void add_tensor(const DraftName& name, const DraftTensor& tensor) {
    const auto [it, added] = where_.emplace(name.text, name.where);
    if (added) {
      tensors_.emplace(name.text, tensor);
      return;
    }
    (tensor.is_input ? draft_.inputs[tensor.index].sound : draft_.operators[tensor.index].sound) = false;
    mistakes_.report(
        name.where, "duplicate",
        fmt::format("there are two tensors '{}'; the other is at {}", name.text, place(it->second)));
  }

  /// The tensor of that full name: as stated, or `operator.2` for one of several outputs.
  std::optional<DraftTensor> tensor_called(const std::string& full) const {
    if (const auto it = tensors_.find(full); it != tensors_.end()) return it->second;
    const std::size_t dot = full.rfind('.');
    if (dot == std::string::npos || full.size() - dot < 2 || full.size() - dot > 4) return std::nullopt;
    const std::string digits = full.substr(dot + 1);
    if (digits.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
    const auto it = tensors_.find(full.substr(0, dot));
    if (it == tensors_.end() || it->second.numbered) return std::nullopt;
    DraftTensor tensor = it->second;
    tensor.output = std::stoul(digits);
    tensor.numbered = true;
    return tensor;
  }

  /// From the innermost repeat outwards: what is made there, what is carried into it.
  std::optional<DraftTensor> find_tensor(std::string name, std::size_t scope) const {
    for (std::size_t steps = 0; steps < 8 * draft_.scopes.size() + 8; ++steps) {  // names may go in circles
      const Scope& here = draft_.scopes[scope];
      const std::string full = here.prefix + name;
      if (auto tensor = tensor_called(full)) return tensor;
      const auto alias = draft_.aliases.find(full);
      const auto carried = here.carried.find(name);
      if (alias != draft_.aliases.end() || carried != here.carried.end()) {
        const Alias next = alias != draft_.aliases.end() ? alias->second : carried->second;
        name = next.name;
        scope = next.scope;
      } else if (scope == 0) {
        return std::nullopt;
      } else {
        scope = here.parent;
      }
    }
    return std::nullopt;
  }

  std::optional<std::size_t> find_operator(const std::string& name, std::size_t scope) const {
    while (true) {
      const auto it = operators_.find(draft_.scopes[scope].prefix + name);
      if (it != operators_.end()) return it->second;
      if (scope == 0) return std::nullopt;
      scope = draft_.scopes[scope].parent;
    }
  }

  /// Known names as they could be written in `scope`.
  template <class Map>
  std::string hint(const std::string& name, const Map& map, std::size_t scope) {
    if (++hints_ > kMaxHints) return {};
    std::vector<std::string> known;
    const std::string& prefix = draft_.scopes[scope].prefix;
    for (const auto& [full, value] : map)
      known.push_back(full.compare(0, prefix.size(), prefix) == 0 ? full.substr(prefix.size()) : full);
    for (const auto& [carried, alias] : draft_.scopes[scope].carried) known.push_back(carried);
    const std::string nearest = nearest_name(name, known);
    return nearest.empty() ? "" : fmt::format("did you mean '{}'?", nearest);
  }

  void connect(std::size_t index) {
    DraftOperator& op = draft_.operators[index];
    for (const DraftName& input : op.inputs) {
      const auto tensor = find_tensor(input.text, op.scope);
      if (tensor) {
        wiring_.inputs[index].push_back(*tensor);
        continue;
      }
      op.sound = false;
      all_found_ = false;
      if (mistakes_.is_new(input.where, "unknown"))
        mistakes_.add(input.where,
                      fmt::format("nobody makes the tensor '{}' that '{}' reads", input.text, op.name),
                      hint(input.text, tensors_, op.scope));
    }
    for (const DraftName& before : op.after) {
      if (const auto other = find_operator(before.text, op.scope)) {
        wiring_.after[index].push_back(*other);
      } else if (mistakes_.is_new(before.where, "unknown")) {
        mistakes_.add(
            before.where,
            fmt::format("there is no operator '{}', after which '{}' is to run", before.text, op.name),
            hint(before.text, operators_, op.scope));
      }
    }
  }

  void connect_outputs() {
    std::map<std::string, bool> seen;
    for (const DraftName& output : draft_.outputs) {
      const auto tensor = find_tensor(output.text, 0);
      if (!tensor) {
        all_found_ = false;
        mistakes_.report(output.where, "output", fmt::format("nobody makes the output '{}'", output.text),
                         hint(output.text, tensors_, 0));
      } else if (tensor->is_input) {
        mistakes_.report(output.where, "output",
                         fmt::format("the output '{}' is an input of the model", output.text));
      } else if (!seen.emplace(output.text, true).second) {
        mistakes_.report(output.where, "output", fmt::format("the output '{}' is stated twice", output.text));
      } else {
        wiring_.outputs.emplace_back(*tensor, output.where);
      }
    }
  }

  void report_unused() {
    std::vector<bool> inputs(draft_.inputs.size()), operators(draft_.operators.size());
    for (const auto& list : wiring_.inputs)
      for (const DraftTensor& tensor : list) (tensor.is_input ? inputs : operators)[tensor.index] = true;
    for (const auto& [tensor, where] : wiring_.outputs) operators[tensor.index] = true;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (!inputs[i])
        mistakes_.report(draft_.inputs[i].name.where, "unused",
                         fmt::format("nobody reads the input '{}'", draft_.inputs[i].name.text));
    if (!all_found_) return;  // whoever reads it may have misspelt it
    for (std::size_t i = 0; i < operators.size(); ++i)
      if (!operators[i] && draft_.operators[i].sound)
        mistakes_.report(draft_.operators[i].where, "unused",
                         fmt::format("nobody reads what '{}' makes", draft_.operators[i].name),
                         "name it in outputs, or leave it out");
  }

  Draft& draft_;
  Mistakes& mistakes_;
  Wiring wiring_;
  std::map<std::string, std::size_t> operators_;
  std::map<std::string, DraftTensor> tensors_;
  std::map<std::string, SourceLocation> where_;  ///< of tensors
  bool all_found_ = true;
  int hints_ = 0;
};

}  // namespace

Wiring wire(Draft& draft, Mistakes& mistakes) { return Wirer(draft, mistakes).run(); }

}  // namespace dfsim
