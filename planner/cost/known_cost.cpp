#include "planner/cost/known_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace dfsim {

namespace {

/// How much a measured stage counts for one without a common operator, next to 1 for one with all of them ...
constexpr double kAnyStage = 0.05;
/// ... and how fast it counts less the more the sizes of the groups differ: exp(-this) at twice or half the
/// size.
constexpr double kOctaveDecay = 3;

KnownPrice never(PriceBasis basis) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  return {kInfinite, kInfinite, basis};
}

KnownPrice known(const StagePrice& price, PriceBasis basis) {
  return {static_cast<double>(price.latency_cycles), static_cast<double>(price.period_cycles), basis};
}

/// Every submesh of `part` has a submesh of `whole` that it fits into.
bool fits_into(const PeGroup& part, const PeGroup& whole) {
  return std::all_of(part.submeshes.begin(), part.submeshes.end(), [&](const Submesh& p) {
    return std::any_of(whole.submeshes.begin(), whole.submeshes.end(), [&](const Submesh& w) {
      return p.width <= w.width && p.height <= w.height && p.depth <= w.depth;
    });
  });
}

}  // namespace

KnownCost::KnownCost(const Graph& graph, const HardwareSpec& hardware, StageBound bound)
    : graph_(graph), hardware_(hardware), bound_(std::move(bound)) {}

/// The first NoC that is equal in all but the numbers of its endpoints.
std::uint32_t KnownCost::noc_class(NocId noc) const {
  const auto alike = [](const NocSpec& a, const NocSpec& b) {
    if (a.graph != b.graph || a.endpoints.size() != b.endpoints.size()) return false;
    for (std::size_t i = 0; i < a.endpoints.size(); ++i)
      if (a.endpoints[i].kind != b.endpoints[i].kind || a.endpoints[i].router != b.endpoints[i].router)
        return false;
    return a.link_width_bytes == b.link_width_bytes && a.preset == b.preset && a.routing == b.routing &&
           a.virtual_channels == b.virtual_channels && a.buffer_flits == b.buffer_flits &&
           a.link_latency_cycles == b.link_latency_cycles && a.max_packet_flits == b.max_packet_flits;
  };
  for (std::uint32_t i = 0; i < noc.value(); ++i)
    if (alike(hardware_.nocs[i], hardware_.nocs[noc.value()])) return i;
  return noc.value();
}

std::string KnownCost::place(const PeGroup& group) const {
  std::string text;
  for (const Submesh& s : group.submeshes)
    text += fmt::format("noc{} {}x{}x{};", noc_class(s.noc), s.width, s.height, s.depth);
  return text;
}

std::uint32_t KnownCost::signature(const std::vector<OpId>& ops) const {
  if (const auto found = signature_of_.find(ops); found != signature_of_.end()) return found->second;
  const auto number = static_cast<std::uint32_t>(signatures_.size());
  const std::uint32_t id = signatures_.emplace(graph_.signature(ops), number).first->second;
  signature_of_.emplace(ops, id);
  return id;
}

std::string KnownCost::key(const StageProposal& stage) const {
  return fmt::format("{}{}", place(stage.group), signature(stage.operators));
}

std::string KnownCost::key(const StageProposal& producer, const StageProposal& consumer) const {
  std::string text = key(producer) + "|" + key(consumer) + "|";
  const Submesh& from = producer.group.submeshes.front();
  const Submesh& to = consumer.group.submeshes.front();
  const auto apart = [](std::uint32_t a, std::uint32_t b) { return static_cast<std::int64_t>(b) - a; };
  text += fmt::format("{} {} {} {};", apart(from.noc.value(), to.noc.value()), apart(from.x, to.x),
                      apart(from.y, to.y), apart(from.z, to.z));
  for (std::size_t p = 0; p < producer.operators.size(); ++p)
    for (const TensorId tensor : graph_.op(producer.operators[p]).outputs)
      for (std::size_t c = 0; c < consumer.operators.size(); ++c)
        for (const TensorId input : graph_.op(consumer.operators[c]).inputs)
          if (input == tensor) text += fmt::format("{}>{} {};", p, c, graph_.tensor(tensor).bytes());
  return text;
}

void KnownCost::set_measured(const StageProposal& stage, const StagePrice& price) {
  if (!stages_.emplace(key(stage), price).second) return;
  const StagePrice bound = bound_(stage);
  if (bound.period_cycles == 0 || price.period_cycles == 0) return;
  const double factor = static_cast<double>(price.period_cycles) / static_cast<double>(bound.period_cycles);
  observations_.push_back(
      {operator_classes(stage), static_cast<double>(stage.group.size()), std::log(factor)});
}

std::vector<bool> KnownCost::operator_classes(const StageProposal& stage) const {
  if (class_of_.empty()) {
    std::map<std::string, std::uint32_t> known;
    for (std::uint32_t op = 0; op < graph_.operators().size(); ++op) {
      const auto next = static_cast<std::uint32_t>(known.size());
      class_of_.push_back(known.emplace(graph_.signature({OpId(op)}), next).first->second);
    }
  }
  std::vector<bool> classes(*std::max_element(class_of_.begin(), class_of_.end()) + 1);
  for (const OpId op : stage.operators) classes[class_of_[op.value()]] = true;
  return classes;
}

double KnownCost::usual_factor(const StageProposal& stage) const {
  const std::vector<bool> operators = operator_classes(stage);
  const auto all = std::count(operators.begin(), operators.end(), true);
  double sum = 0, weights = 0;
  for (const Observation& seen : observations_) {
    std::size_t shared = 0;
    for (std::size_t one = 0; one < operators.size(); ++one)
      shared += operators[one] && seen.operators[one] ? 1 : 0;
    const double octaves = std::abs(std::log2(static_cast<double>(stage.group.size()) / seen.pes));
    const double weight = (kAnyStage + static_cast<double>(shared) / static_cast<double>(all)) *
                          std::exp(-kOctaveDecay * octaves);
    sum += weight * seen.log_factor;
    weights += weight;
  }
  return weights > 0 ? std::exp(sum / weights) : 1;
}

void KnownCost::set_measured(const StageProposal& producer, const StageProposal& consumer,
                             const StagePrice& price) {
  transfers_[key(producer, consumer)] = price;
}

void KnownCost::set_impossible(const StageProposal& producer, const StageProposal& consumer) {
  transfers_[key(producer, consumer)] = std::nullopt;
}

void KnownCost::set_infeasible(const StageProposal& stage) {
  infeasible_.push_back(stage);
  infeasible_keys_.insert(key(stage));
}

void KnownCost::withdraw(const StageProposal& stage) {
  stages_.erase(key(stage));
  infeasible_keys_.insert(key(stage));
}

void KnownCost::set_seen(const StageProposal& stage, std::uint64_t period_cycles) {
  const auto [it, first] = seen_.emplace(key(stage), period_cycles);
  if (!first) it->second = std::min(it->second, period_cycles);
}

bool KnownCost::measured(const StageProposal& stage) const { return stages_.contains(key(stage)); }

bool KnownCost::measured(const StageProposal& producer, const StageProposal& consumer) const {
  return transfers_.contains(key(producer, consumer));
}

bool KnownCost::infeasible(const StageProposal& stage) const {
  if (infeasible_keys_.empty()) return false;
  if (infeasible_keys_.contains(key(stage))) return true;
  return std::any_of(infeasible_.begin(), infeasible_.end(), [&](const StageProposal& known) {
    return fits_into(stage.group, known.group) && stage.operators.back() == known.operators.back() &&
           std::includes(stage.operators.begin(), stage.operators.end(), known.operators.begin(),
                         known.operators.end());
  });
}

KnownPrice KnownCost::stage(const StageProposal& stage) const {
  if (neutral_) {
    const double cycles = kPresetCyclesPerOperator * static_cast<double>(stage.operators.size());
    return {cycles, cycles, PriceBasis::preset};
  }
  const std::string name = key(stage);
  if (const auto found = stages_.find(name); found != stages_.end()) {
    KnownPrice price = known(found->second, PriceBasis::measured);
    if (const auto seen = seen_.find(name); seen != seen_.end())
      price.period_cycles = static_cast<double>(seen->second);
    return price;
  }
  if (infeasible(stage)) return never(PriceBasis::bound);
  auto bound = bounds_.find(name);
  if (bound == bounds_.end()) bound = bounds_.emplace(name, bound_(stage)).first;
  return known(bound->second, PriceBasis::bound);
}

KnownPrice KnownCost::transfer(const StageProposal& producer, const StageProposal& consumer) const {
  if (neutral_) return {0, 0, PriceBasis::preset};
  const auto found = transfers_.find(key(producer, consumer));
  if (found == transfers_.end()) return {0, 0, PriceBasis::bound};
  return found->second ? known(*found->second, PriceBasis::measured) : never(PriceBasis::measured);
}

KnownPrice LikelyCost::stage(const StageProposal& stage) const {
  KnownPrice price = cost_.stage(stage);
  if (price.basis != PriceBasis::bound) return price;
  const double factor = std::pow(std::max(1.0, cost_.usual_factor(stage)), weight_);
  price.latency_cycles *= factor;
  price.period_cycles *= factor;
  return price;
}

KnownPrice MeasuredOnly::stage(const StageProposal& stage) const {
  const KnownPrice price = cost_.stage(stage);
  return price.basis == PriceBasis::measured ? price : never(price.basis);
}

KnownPrice OfKind::stage(const StageProposal& stage) const {
  const bool whole = stage.operators.size() == operators_;
  const KnownPrice price = cost_.stage(stage);
  return whole == (kind_ == PlanKind::one_stage) ? price : never(price.basis);
}

}  // namespace dfsim
