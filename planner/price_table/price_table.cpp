#include "planner/price_table/price_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

#include "planner/inter_stage/counting.h"
#include "planner/price_table/number_expression.h"
#include "sim/base/yaml.h"

namespace dfsim {

namespace {

constexpr double kMostNumber = 1e15;
constexpr std::uint32_t kMostLayers = 64;
constexpr std::uint32_t kMostPes = 256;
constexpr std::uint32_t kMostMicroBatches = 1'000'000'000;

std::uint32_t whole(const YamlValue& value, std::int64_t min, std::int64_t max) {
  return static_cast<std::uint32_t>(value.integer(min, max, min));
}

class TableReader {
 public:
  explicit TableReader(const YamlValue& root) : root_(root) {}

  void read() {
    read_goal();
    read_area();
    read_layers();
    read_sizes();
    read_table();
  }
  /// What needs all of the above to be right.
  void fill() {
    if (const YamlValue formula = root_["stage_time"]) {
      if (!table_.mesh && !root_["pes"]) find_pes(formula);
      evaluate_all(formula);
    }
    for (std::uint32_t layer = 0; layer < table_.layers; ++layer)
      if (std::none_of(table_.times.begin(), table_.times.end(), [layer](const auto& entry) {
            return std::get<0>(entry.first) <= layer && layer < std::get<1>(entry.first);
          }))
        place_of_times().error(fmt::format("no stage holds layer {}", layer),
                               "give a time for a stage with it on a group that there is");
  }
  PriceTable take() { return std::move(table_); }

 private:
  YamlValue place_of_times() { return root_["table"] ? root_["table"] : root_["stage_time"]; }

  void read_goal() {
    const YamlValue goal = root_.require("goal");
    if (goal.is_mapping()) {
      table_.aim.kind = Aim::makespan;
      table_.aim.micro_batches = whole(goal.require("makespan"), 1, kMostMicroBatches);
    } else if (goal) {
      table_.aim.kind = goal.choice<Aim>(
          {{"interval", Aim::interval}, {"latency", Aim::latency}, {"pes", Aim::pes}}, Aim::interval);
    }
    const YamlValue limit = root_["time_limit"];
    if (limit) table_.aim.time_limit = limit.number(0, kMostNumber);
    if (!limit && table_.aim.kind == Aim::pes)
      goal.error("the goal 'pes' needs a time_limit",
                 "for example time_limit: 15; every stage stays within it");
  }

  void read_area() {
    const YamlValue pes = root_["pes"], mesh = root_["mesh"];
    rotate_ = root_["rotate"].boolean(false);
    if (pes && mesh) mesh.error("both pes and mesh are given", "keep one: with a mesh, rectangles must pack");
    if (!pes && !mesh && (table_.aim.kind != Aim::pes || root_["table"]))
      root_.error("neither pes nor mesh is given", "for example pes: 8, or mesh: [4, 4]");
    if (root_["rotate"] && !mesh)
      root_["rotate"].error("only rectangles of a mesh can be turned", "give mesh");
    if (pes) table_.area = {whole(pes, 1, kMostPes), 1, 1};
    if (!mesh) return;
    table_.mesh = true;
    if (const auto sides = pair(mesh, 1, kMostPes)) table_.area = {sides->first, sides->second, 1};
    if (table_.area[0] * table_.area[1] > kMostPes)
      mesh.error(fmt::format("expected at most {} PEs, found {}", kMostPes, table_.area[0] * table_.area[1]));
  }

  std::optional<std::pair<std::uint32_t, std::uint32_t>> pair(const YamlValue& list, std::uint32_t min,
                                                              std::uint32_t max) {
    const std::vector<YamlValue> items = list.items();
    if (!list.is_list()) return std::nullopt;  // reported
    if (items.size() != 2) {
      list.error(fmt::format("expected two numbers, found {}", items.size()));
      return std::nullopt;
    }
    return std::pair(whole(items[0], min, max), whole(items[1], min, max));
  }

  std::vector<double> numbers(const YamlValue& list) {
    std::vector<double> values;
    for (const YamlValue& item : list.items()) values.push_back(item.number(0, kMostNumber));
    return values;
  }

  void read_layers() {
    const YamlValue work = root_["work"], weights = root_["weights_kib"];
    work_ = numbers(work);
    weights_ = numbers(weights);
    for (const auto& [list, count] : {std::pair(&work, work_.size()), std::pair(&weights, weights_.size())})
      if (list->is_list() && (count == 0 || count > kMostLayers))
        list->error(fmt::format("expected 1 to {} layers, found {}", kMostLayers, count));
    if (work && weights && work_.size() != weights_.size())
      weights.error(fmt::format("{} weights for {} layers", weights_.size(), work_.size()),
                    "one number per layer, in their order");
    table_.layers = static_cast<std::uint32_t>(std::max(work_.size(), weights_.size()));
    const YamlValue scratchpad = root_["scratchpad_kib"];
    if (scratchpad) scratchpad_ = scratchpad.number(0, kMostNumber);
    if (scratchpad && !weights)
      scratchpad.error("scratchpad_kib without weights_kib", "give the weights of each layer");
  }

  void read_sizes() {
    const YamlValue sizes = root_["group_sizes"];
    for (const YamlValue& size : sizes.items()) sizes_.push_back(whole(size, 1, kMostPes));
    if (sizes.is_list() && sizes_.empty()) sizes.error("no size is given", "for example [1, 2, 4, 8]");
  }

  bool allowed(std::uint32_t from, std::uint32_t to, std::uint32_t pes) const {
    if (!sizes_.empty() && std::find(sizes_.begin(), sizes_.end(), pes) == sizes_.end()) return false;
    if (!scratchpad_ || to > weights_.size()) return true;
    return std::accumulate(weights_.begin() + from, weights_.begin() + to, 0.0) <= pes * *scratchpad_;
  }

  void read_table() {
    const YamlValue table = root_["table"], formula = root_["stage_time"];
    if (table && formula) formula.error("both stage_time and table are given", "keep one");
    if (!table && !formula)
      root_.error("neither stage_time nor table is given",
                  "for example stage_time: 'sum(work)/p', or a table of times");
    if (formula && table_.layers == 0)
      formula.error("stage_time needs the work of the layers", "give work: [...]");
    std::vector<YamlValue> entries = table.items();
    if (table.is_list() && entries.empty()) table.error("no time is given");
    const bool stated = table_.layers > 0;
    for (const YamlValue& entry : entries) read_entry(entry, stated);
  }

  void read_entry(const YamlValue& entry, bool stated) {
    const YamlValue layers = entry.require("layers"), time = entry.require("time");
    const auto range = pair(layers, 0, kMostLayers - 1);
    const double value = time.number(0, kMostNumber);
    std::uint32_t width = 1, height = 1;
    if (table_.mesh) {
      const YamlValue shape = entry.require("shape");
      if (!shape) return;
      const auto sides = pair(shape, 1, kMostPes);
      if (!sides) return;
      std::tie(width, height) = *sides;
      const auto fits = [&](std::uint32_t w, std::uint32_t h) {
        return w <= table_.area[0] && h <= table_.area[1];
      };
      if (!fits(width, height) && !(rotate_ && fits(height, width)))
        shape.error(fmt::format("{} x {} is larger than the mesh of {} x {}", width, height, table_.area[0],
                                table_.area[1]));
    } else {
      const YamlValue pes = entry.require("pes");
      if (!pes) return;
      width = whole(pes, 1, kMostPes);
      if (root_["pes"] && width > table_.area[0])
        pes.error(fmt::format("{} PEs, but there are {}", width, table_.area[0]));
    }
    if (!range) return;
    if (range->first > range->second)
      layers.error(fmt::format("layer {} comes after layer {}", range->first, range->second),
                   "write the first layer of the stage, then its last");
    if (stated && range->second >= table_.layers)
      layers.error(fmt::format("there is no layer {}", range->second),
                   fmt::format("layers are numbered from 0 to {}", table_.layers - 1));
    if (!stated) table_.layers = std::max(table_.layers, range->second + 1);
    add(entry, range->first, range->second + 1, width, height, value);
  }

  void add(const YamlValue& entry, std::uint32_t from, std::uint32_t to, std::uint32_t width,
           std::uint32_t height, double time) {
    if (!stated_.emplace(from, to, width, height).second) {
      entry.error("this stage has a time on this group already", "leave one of the two out");
      return;
    }
    if (!allowed(from, to, width * height)) return;
    const auto put = [&](std::uint32_t w, std::uint32_t h, bool turned) {
      const auto [it, first] = table_.times.emplace(std::tuple(from, to, w, h), time);
      if (!first && !turned) it->second = time;  // what is stated goes before what follows by turning
    };
    put(width, height, false);
    if (rotate_ && !stated_.contains({from, to, height, width})) put(height, width, true);
  }

  ExpressionNames names(std::uint32_t from, std::uint32_t to, std::uint32_t width, std::uint32_t height) {
    ExpressionNames names;
    const auto part = [&](const std::vector<double>& list) {
      return std::vector<double>(list.begin() + from, list.begin() + to);
    };
    if (!work_.empty()) names.lists["work"] = part(work_);
    if (!weights_.empty()) names.lists["weights_kib"] = part(weights_);
    names.numbers = {{"p", width * height}, {"layers", to - from}};
    if (table_.mesh) names.numbers.insert({{"w", width}, {"h", height}});
    if (scratchpad_) names.numbers["scratchpad_kib"] = *scratchpad_;
    return names;
  }

  /// The time, if the stage may be on such a group. Reports the first mistake of the formula only.
  std::optional<double> time_of(const YamlValue& formula, std::uint32_t from, std::uint32_t to,
                                std::uint32_t width, std::uint32_t height) {
    if (wrong_ || !allowed(from, to, width * height)) return std::nullopt;
    const auto time = evaluate_number(formula.string(), names(from, to, width, height));
    if (time && *time >= 0) return *time;
    wrong_ = true;
    const std::string group = table_.mesh ? fmt::format("{} x {} PEs", width, height)
                                          : fmt::format("{} PE{}", width, width == 1 ? "" : "s");
    if (time)
      formula.error(fmt::format("the time of layers {} to {} on {} is {}", from, to - 1, group, *time),
                    "times must not be negative");
    else
      formula.error(time.reason(),
                    fmt::format("names: p (PEs){}, layers, and sum(), max(), min() of work{}",
                                table_.mesh ? ", w, h" : "", weights_.empty() ? "" : " and weights_kib"));
    return std::nullopt;
  }

  void evaluate_all(const YamlValue& formula) {
    for (std::uint32_t from = 0; from < table_.layers; ++from)
      for (std::uint32_t to = from + 1; to <= table_.layers; ++to)
        for (std::uint32_t height = 1; height <= table_.area[1]; ++height)
          for (std::uint32_t width = 1; width <= table_.area[0]; ++width)
            if (const auto time = time_of(formula, from, to, width, height))
              table_.times[{from, to, width, height}] = *time;
  }

  /// Fewest PEs are asked for and none are given: as many as some plan within the limit needs.
  void find_pes(const YamlValue& formula) {
    for (std::uint32_t pes = 8;; pes = std::min(2 * pes, kMostPes)) {
      table_.area = {pes, 1, 1};
      table_.times.clear();
      evaluate_all(formula);
      if (wrong_ || pes == kMostPes || value_bound(table_.space()) < kNever) return;
    }
  }

  YamlValue root_;
  PriceTable table_;
  bool rotate_ = false, wrong_ = false;
  std::vector<double> work_, weights_;
  std::optional<double> scratchpad_;
  std::vector<std::uint32_t> sizes_;
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>> stated_;
};

PriceTable table_of(const YamlDocument& document, Diagnostics& diagnostics) {
  diagnostics.throw_if_any<ModelError>();
  TableReader reader(document.root());
  reader.read();
  document.finish();
  diagnostics.throw_if_any<ModelError>();
  reader.fill();
  diagnostics.throw_if_any<ModelError>();
  return reader.take();
}

}  // namespace

KnownPrice PriceTable::price(std::uint32_t from, std::uint32_t to, const Extent& shape) const {
  const auto found = times.find({from, to, shape[0], shape[1]});
  const double time = found == times.end() ? kNever : found->second;
  return {time, time, PriceBasis::measured};
}

PlanSpace PriceTable::space() const {
  return PlanSpace(
      layers, area,
      [this](std::uint32_t from, std::uint32_t to, const Extent& shape) { return price(from, to, shape); },
      aim);
}

PriceTable read_price_table(const std::string& path) {
  Diagnostics diagnostics;
  const YamlDocument document = load_yaml(path, {}, diagnostics);
  return table_of(document, diagnostics);
}

PriceTable read_price_table_text(const std::string& text, const std::string& file) {
  Diagnostics diagnostics;
  const YamlDocument document = load_yaml_text(text, file, {}, diagnostics);
  return table_of(document, diagnostics);
}

}  // namespace dfsim
