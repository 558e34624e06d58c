#include "planner/plan/plan_text.h"

#include <stdexcept>

namespace dfsim {

void write(TextWriter& out, const OperatorCandidate& candidate) {
  out.numbers(candidate.spatial).numbers(candidate.temporal).numbers(candidate.nesting);
  out.number(static_cast<std::uint64_t>(candidate.order)).number(static_cast<std::uint64_t>(candidate.outer));
}

void write(TextWriter& out, const IntraStageStrategy& strategy) {
  out.number(strategy.operators.size());
  for (const OperatorCandidate& candidate : strategy.operators) write(out, candidate);
  out.number(strategy.sub_batches).number(strategy.weights_resident ? 1 : 0);
}

void write(TextWriter& out, const PeGroup& group) {
  out.number(group.submeshes.size());
  for (const Submesh& submesh : group.submeshes) {
    out.number(submesh.noc.value()).number(submesh.x).number(submesh.y).number(submesh.z);
    out.number(submesh.width).number(submesh.height).number(submesh.depth);
  }
}

namespace {

void write_content(TextWriter& out, const Stage& stage) {
  out.number(stage.operators.size());
  for (const OpId op : stage.operators) out.number(op.value());
  write(out, stage.group);
  write(out, stage.strategy);
}

}  // namespace

void write(TextWriter& out, const Stage& stage) {
  out.text(stage.name);
  write_content(out, stage);
}

void write(TextWriter& out, const Plan& plan) {
  out.number(plan.samples).number(plan.stages.size());
  for (const Stage& stage : plan.stages) write(out, stage);
}

OperatorCandidate read_candidate(TextReader& in) {
  OperatorCandidate candidate;
  candidate.spatial = in.smalls();
  candidate.temporal = in.smalls();
  candidate.nesting = in.smalls();
  const std::uint64_t order = in.number();
  if (order > static_cast<std::uint64_t>(PeOrder::snake)) throw std::runtime_error("unknown order of PEs");
  candidate.order = static_cast<PeOrder>(order);
  const std::uint64_t outer = in.number();
  if (outer > static_cast<std::uint64_t>(OuterLoop::rows)) throw std::runtime_error("unknown outer loop");
  candidate.outer = static_cast<OuterLoop>(outer);
  return candidate;
}

IntraStageStrategy read_strategy(TextReader& in) {
  IntraStageStrategy strategy;
  for (std::size_t left = in.count(); left > 0; --left) strategy.operators.push_back(read_candidate(in));
  strategy.sub_batches = in.small();
  strategy.weights_resident = in.number() != 0;
  return strategy;
}

PeGroup read_group(TextReader& in) {
  PeGroup group;
  for (std::size_t left = in.count(); left > 0; --left) {
    Submesh submesh;
    submesh.noc = NocId(in.small());
    submesh.x = in.small();
    submesh.y = in.small();
    submesh.z = in.small();
    submesh.width = in.small();
    submesh.height = in.small();
    submesh.depth = in.small();
    group.submeshes.push_back(submesh);
  }
  return group;
}

Stage read_stage(TextReader& in) {
  Stage stage;
  stage.name = in.text();
  for (const std::uint32_t op : in.smalls()) stage.operators.emplace_back(op);
  stage.group = read_group(in);
  stage.strategy = read_strategy(in);
  return stage;
}

Plan read_plan(TextReader& in) {
  Plan plan;
  plan.samples = in.small();
  for (std::size_t left = in.count(); left > 0; --left) plan.stages.push_back(read_stage(in));
  return plan;
}

std::string nameless_text(const Stage& stage) {
  TextWriter out;
  write_content(out, stage);
  return out.str();
}

}  // namespace dfsim
