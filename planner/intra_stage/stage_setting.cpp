#include "planner/intra_stage/stage_setting.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "planner/ops/operator.h"
#include "sim/base/units.h"

namespace dfsim {

namespace {

/// Share of the scratchpads that resident weights may take; the rest is for activations and tiles.
constexpr double kResidentShare = 0.6;
/// One part in so many of the scratchpads.
constexpr std::uint64_t kScarce = 5;
/// Where room is scarce, a candidate may need so many times the room of the one of its class that needs
/// least.
constexpr double kRoomFactor = 1.25;

std::uint64_t scratchpads(const HardwareSpec& hardware, const StageProposal& proposal) {
  return proposal.group.pes(hardware).size() * hardware.pe.scratchpad.bytes.count();
}

/// Bytes of activations that the busiest PE holds while it computes the operator: what it reads and writes.
std::uint64_t bytes_held(const Graph& graph, OpId op, const OperatorCandidate& candidate,
                         std::uint32_t samples) {
  const Operator& node = graph.op(op);
  const OperatorKind& kind = kind_of(node);
  const std::vector<Axis> axes = kind.axes(graph, op, samples);
  Box block;
  block.rank = static_cast<std::uint8_t>(axes.size());
  for (std::size_t axis = 0; axis < axes.size(); ++axis)
    block.extent[axis] = ceil_div(
        axes[axis].extent, axis < candidate.spatial.size() ? std::max(1u, candidate.spatial[axis]) : 1);
  std::uint64_t bytes = 0;
  const auto add = [&](TensorId tensor, const Box& box) {
    if (graph.tensor(tensor).has_samples())
      bytes += box.elements() * bytes_of(graph.tensor(tensor).type).count();
  };
  for (std::size_t input = 0; input < node.inputs.size(); ++input)
    add(node.inputs[input], kind.input_box(graph, op, input, block));
  for (std::size_t output = 0; output < node.outputs.size(); ++output)
    add(node.outputs[output], kind.output_box(graph, op, output, block));
  return bytes;
}

/// Leaves the candidates that need little room: others fit alone, but not among what else the stage holds.
void keep_small(const Graph& graph, std::uint32_t samples, StageClasses& classes) {
  for (OperatorClass& one : classes.classes) {
    std::vector<std::uint64_t> bytes;
    for (const OperatorCandidate& candidate : one.candidates)
      bytes.push_back(bytes_held(graph, one.representative(), candidate, samples));
    if (bytes.empty()) continue;
    const double most = kRoomFactor * static_cast<double>(*std::min_element(bytes.begin(), bytes.end()));
    std::size_t index = 0;
    std::erase_if(one.candidates,
                  [&](const OperatorCandidate&) { return static_cast<double>(bytes[index++]) > most; });
  }
}

}  // namespace

double weight_copies(const Graph& graph, const HardwareSpec& hardware, const StageProposal& proposal) {
  std::set<TensorId> weights;
  for (const OpId op : proposal.operators)
    for (const TensorId input : graph.op(op).inputs)
      if (graph.tensor(input).role == TensorRole::weight) weights.insert(input);
  std::uint64_t bytes = 0;
  for (const TensorId weight : weights) bytes += graph.tensor(weight).bytes();
  if (bytes == 0) return 0;
  return kResidentShare * static_cast<double>(scratchpads(hardware, proposal)) / static_cast<double>(bytes);
}

bool room_is_scarce(const Graph& graph, const HardwareSpec& hardware, const StageProposal& proposal,
                    std::uint32_t samples) {
  const std::uint64_t room = scratchpads(hardware, proposal);
  return std::any_of(proposal.operators.begin(), proposal.operators.end(), [&](OpId id) {
    std::uint64_t bytes = 0;
    for (const auto* list : {&graph.op(id).inputs, &graph.op(id).outputs})
      for (const TensorId tensor : *list)
        if (graph.tensor(tensor).has_samples()) bytes += graph.tensor(tensor).bytes() * samples;
    return kScarce * bytes > room;
  });
}

std::optional<Infeasible> output_too_large(const Graph& graph, const HardwareSpec& hardware,
                                           const StageProposal& proposal, std::uint32_t samples) {
  const std::uint64_t room = scratchpads(hardware, proposal);
  for (const OpId id : proposal.operators) {
    std::uint64_t outputs = 0;
    for (const TensorId output : graph.op(id).outputs) outputs += graph.tensor(output).bytes() * samples;
    if (outputs > room)
      return Infeasible{
          fmt::format("operator {}: its output on {}", graph.op(id).name, proposal.group.to_string()),
          outputs, room, "bytes", "use more sub-batches or a larger group"};
  }
  return std::nullopt;
}

std::vector<StageSetting> stage_settings(const Graph& graph, const HardwareSpec& hardware,
                                         const StageProposal& proposal, std::uint32_t samples,
                                         std::uint32_t sub_batches) {
  CandidateRequest request;
  request.proposal = &proposal;
  request.samples = ceil_div(samples, sub_batches);
  const bool scarce = room_is_scarce(graph, hardware, proposal, request.samples);
  std::vector<StageSetting> settings;
  if (const double copies = weight_copies(graph, hardware, proposal); copies >= 1) {
    request.weights_resident = true;
    request.most_weight_copies = copies;
    StageClasses classes = form_candidates(graph, hardware, request);
    const bool complete = std::none_of(classes.classes.begin(), classes.classes.end(),
                                       [](const OperatorClass& one) { return one.candidates.empty(); });
    if (complete) settings.push_back({sub_batches, true, std::move(classes)});
  }
  request.weights_resident = false;
  request.most_weight_copies = 0;
  settings.push_back({sub_batches, false, form_candidates(graph, hardware, request)});
  if (scarce)
    for (StageSetting& setting : settings) keep_small(graph, request.samples, setting.classes);
  return settings;
}

}  // namespace dfsim
