#include "planner/cost/price_messages.h"

#include <stdexcept>

#include "planner/plan/plan_text.h"

namespace dfsim {

namespace {

PriceStatus read_status(TextReader& in) {
  const std::uint64_t value = in.number();
  if (value > static_cast<std::uint64_t>(PriceStatus::failed))
    throw std::runtime_error("unknown price status");
  return static_cast<PriceStatus>(value);
}

}  // namespace

std::string to_text(const PriceRequest& request) {
  TextWriter out;
  out.number(static_cast<std::uint64_t>(request.kind)).number(request.samples);
  out.number(request.limit.latency_cycles).number(request.limit.period_cycles);
  out.number(request.stages.size());
  for (const Stage& stage : request.stages) write(out, stage);
  return out.str();
}

PriceRequest price_request_from(const std::string& text) {
  TextReader in(text);
  PriceRequest request;
  const std::uint64_t kind = in.number();
  if (kind > static_cast<std::uint64_t>(PriceRequest::Kind::plan))
    throw std::runtime_error("unknown request");
  request.kind = static_cast<PriceRequest::Kind>(kind);
  request.samples = in.small();
  request.limit.latency_cycles = in.number();
  request.limit.period_cycles = in.number();
  for (std::size_t left = in.count(); left > 0; --left) request.stages.push_back(read_stage(in));
  in.end();
  return request;
}

std::string to_text(const PriceAnswer& answer) {
  TextWriter out;
  out.number(static_cast<std::uint64_t>(answer.status));
  out.number(answer.price.latency_cycles).number(answer.price.period_cycles);
  return out.text(answer.program_hash).text(answer.reason).str();
}

PriceAnswer price_answer_from(const std::string& text) {
  TextReader in(text);
  PriceAnswer answer;
  answer.status = read_status(in);
  answer.price.latency_cycles = in.number();
  answer.price.period_cycles = in.number();
  answer.program_hash = in.text();
  answer.reason = in.text();
  in.end();
  return answer;
}

std::string to_text(const PlanAnswer& answer) {
  TextWriter out;
  out.number(static_cast<std::uint64_t>(answer.status)).number(answer.fill_periods);
  out.numbers(answer.period_done_cycles).numbers(answer.stage_period_cycles);
  return out.text(answer.program_hash).text(answer.reason).str();
}

PlanAnswer plan_answer_from(const std::string& text) {
  TextReader in(text);
  PlanAnswer answer;
  answer.status = read_status(in);
  answer.fill_periods = in.small();
  answer.period_done_cycles = in.numbers();
  answer.stage_period_cycles = in.numbers();
  answer.program_hash = in.text();
  answer.reason = in.text();
  in.end();
  return answer;
}

bool exceeds(const StagePrice& price, const PriceLimit& limit) {
  return (limit.latency_cycles > 0 && price.latency_cycles > limit.latency_cycles) ||
         (limit.period_cycles > 0 && price.period_cycles > limit.period_cycles);
}

}  // namespace dfsim
