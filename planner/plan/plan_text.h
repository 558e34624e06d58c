// planner/plan/plan_text.h: stages and plans through a TextWriter and back, exactly.
#pragma once

#include <string>

#include "planner/plan/plan.h"
#include "planner/plan/text_stream.h"

namespace dfsim {

void write(TextWriter& out, const OperatorCandidate& candidate);
void write(TextWriter& out, const IntraStageStrategy& strategy);
void write(TextWriter& out, const PeGroup& group);
void write(TextWriter& out, const Stage& stage);
void write(TextWriter& out, const Plan& plan);

/// All throw std::runtime_error for a text that write() did not write.
OperatorCandidate read_candidate(TextReader& in);
IntraStageStrategy read_strategy(TextReader& in);
PeGroup read_group(TextReader& in);
Stage read_stage(TextReader& in);
Plan read_plan(TextReader& in);

/// Everything of a stage but its name: the content of an identity.
std::string nameless_text(const Stage& stage);

}  // namespace dfsim
