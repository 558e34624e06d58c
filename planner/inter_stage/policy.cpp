#include "planner/inter_stage/policy.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace dfsim {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;

std::vector<double> numbers(const double* data, Eigen::Index count) { return {data, data + count}; }

/// False if `json` is no list of `count` finite numbers.
bool read(const Json& json, const char* key, double* data, Eigen::Index count) {
  const auto list = json.find(key);
  if (list == json.end() || !list->is_array() || static_cast<Eigen::Index>(list->size()) != count)
    return false;
  for (const Json& value : *list) {
    if (!value.is_number() || !std::isfinite(value.get<double>())) return false;
    *data++ = value.get<double>();
  }
  return true;
}

}  // namespace

Policy::Weights Policy::zero() {
  Weights weights;
  weights.first.setZero();
  weights.bias.setZero();
  weights.second.setZero();
  return weights;
}

Policy::Policy() : weights_(zero()), gradient_(zero()), mean_(zero()), square_(zero()) {}

/// Small weights: all groups are about equally likely at first.
Policy::Policy(Rng& rng) : Policy() {
  for (Eigen::Index i = 0; i < weights_.first.size(); ++i)
    weights_.first.data()[i] = (rng.uniform() - 0.5) / std::sqrt(kFeatures) * 2;
  for (Eigen::Index i = 0; i < weights_.second.size(); ++i)
    weights_.second.data()[i] = (rng.uniform() - 0.5) / std::sqrt(kHidden) * 0.2;
}

Result<Policy, std::string> Policy::from_text(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.is_object())
    return std::string("this is no policy: it is not a JSON object");
  if (json.value("kind", std::string()) != "dfsim policy") return std::string("this is no policy of dfsim");
  if (json.value("version", 0) != kVersion || json.value("features", 0) != kFeatures ||
      json.value("hidden", 0) != kHidden)
    return std::string("the policy was written by another version of dfsim");
  Policy policy;
  Weights& w = policy.weights_;
  if (!read(json, "first", w.first.data(), w.first.size()) ||
      !read(json, "bias", w.bias.data(), w.bias.size()) ||
      !read(json, "second", w.second.data(), w.second.size()))
    return std::string("the policy's weights are damaged");
  return policy;
}

std::string Policy::text() const {
  const Json json = {{"kind", "dfsim policy"},
                     {"version", kVersion},
                     {"features", kFeatures},
                     {"hidden", kHidden},
                     {"first", numbers(weights_.first.data(), weights_.first.size())},
                     {"bias", numbers(weights_.bias.data(), weights_.bias.size())},
                     {"second", numbers(weights_.second.data(), weights_.second.size())}};
  return json.dump(1) + "\n";
}

Policy::Rating Policy::rate(const Features& features) const {
  Rating rating;
  rating.hidden = ((weights_.first * features).colwise() + weights_.bias).array().tanh().matrix();
  rating.chances = rating.hidden.transpose() * weights_.second;
  rating.chances = (rating.chances.array() - rating.chances.maxCoeff()).exp().matrix();
  rating.chances /= rating.chances.sum();
  return rating;
}

void Policy::collect(const Features& features, const Rating& rating, std::size_t chosen, double weight,
                     double entropy_weight) {
  const Eigen::MatrixXd& hidden = rating.hidden;
  const Eigen::VectorXd& p = rating.chances;
  const Eigen::ArrayXd logs = p.array().max(1e-300).log();
  // d log p(chosen) / d rating = [chosen] - p; d entropy / d rating = -p (log p + entropy).
  Eigen::VectorXd slope = -weight * p;
  slope[static_cast<Eigen::Index>(chosen)] += weight;
  const double entropy = -(p.array() * logs).sum();
  slope -= entropy_weight * (p.array() * (logs + entropy)).matrix();
  gradient_.second += hidden * slope;
  const Eigen::MatrixXd inner =
      ((weights_.second * slope.transpose()).array() * (1 - hidden.array().square())).matrix();
  gradient_.first += inner * features.transpose();
  gradient_.bias += inner.rowwise().sum();
}

void Policy::step(double rate) {
  constexpr double kFirst = 0.9, kSecond = 0.999, kTiny = 1e-8;
  ++steps_;
  const double n = static_cast<double>(steps_);
  const double first = 1 - std::pow(kFirst, n), second = 1 - std::pow(kSecond, n);
  const auto move = [&](auto& weight, auto& gradient, auto& mean, auto& square) {
    mean = kFirst * mean + (1 - kFirst) * gradient;
    square = kSecond * square + (1 - kSecond) * gradient.cwiseAbs2();
    weight.array() += rate * (mean.array() / first) / ((square.array() / second).sqrt() + kTiny);
    gradient.setZero();
  };
  move(weights_.first, gradient_.first, mean_.first, square_.first);
  move(weights_.bias, gradient_.bias, mean_.bias, square_.bias);
  move(weights_.second, gradient_.second, mean_.second, square_.second);
}

}  // namespace dfsim
