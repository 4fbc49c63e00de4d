#include "api/message_json.h"

#include "base/bytes.h"

namespace api {
namespace {

struct WriteValue {
  json::Writer& json;

  void operator()(const std::string& text) const { json.string(base::printable(text)); }
  void operator()(std::int64_t number) const { json.integer(number); }
  void operator()(std::chrono::seconds duration) const {
    const base::Rounded rounded = base::rounded_up(duration);
    json.begin_object().key("number").integer(rounded.number);
    json.key("unit").string(rounded.unit).end_object();
  }
  void operator()(const base::Message& message) const {
    json.begin_object();
    if (message.values.empty()) json.key("pattern").string(base::printable(message.pattern));
    write_pattern(json, message);
    json.end_object();
  }
};

}  // namespace

void write_pattern(json::Writer& json, const base::Message& message) {
  if (message.values.empty()) return;
  json.key("pattern").string(message.pattern).key("values").begin_object();
  for (const auto& [name, value] : message.values) {
    json.key(name);
    std::visit(WriteValue{json}, value);
  }
  json.end_object();
}

}  // namespace api
