#pragma once

#include <string>
#include <vector>

#include "base/address.h"
#include "base/gate.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/workers.h"
#include "db/pool.h"
#include "identity/authenticator.h"
#include "identity/secrets.h"
#include "limit/limiter.h"
#include "model/template.h"
#include "store/analytics_store.h"
#include "store/held_store.h"
#include "store/own_ratings_reader.h"
#include "store/settings_store.h"
#include "store/site.h"
#include "store/stats_store.h"
#include "store/template_store.h"
#include "store/vote_store.h"
#include "store/vote_writer.h"
#include "store/wp_store.h"

namespace api {

class AnswerCache;

// What handlers may use. All of it is born in main, outlives every request and is safe for
// concurrent use.
struct App {
  const std::string& base_path;
  const std::string& table_prefix;
  const identity::KeyRing& keys;
  limit::Limiter& limiter;
  identity::Authenticator& authenticator;
  const base::Log& log;
  const bool logs_requests;
  base::Metrics& metrics;        // of the series that request_series() names
  const base::Workers& workers;  // of this host
  const unsigned configured_workers;
  const std::vector<base::Network>& metrics_networks;
  const store::Site& site;
  db::Pool& sessions;
  store::VoteWriter& vote_writer;
  const store::VoteStore& votes;
  store::OwnRatingsReader& own_ratings;
  const store::StatsStore& stats;
  const store::WpStore& wp;
  const store::SettingsStore& settings;
  const store::HeldStore& held;
  const store::AnalyticsStore& analytics;
  db::Pool& analytics_sessions;  // for what may take longer than short reads
  base::Gate& long_analyses;     // for what reads a row for each object and day
  AnswerCache& analytics_answers;
  const store::TemplateStore& templates;
  const std::vector<model::Template>& builtin_templates;
  const db::Endpoint& transfer_endpoint;  // each export, import or clean-up has its own session
};

}  // namespace api
