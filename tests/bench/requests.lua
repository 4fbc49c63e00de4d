-- What wrk sends, and how it tells the result: one line of JSON.
--
--   wrk … -s requests.lua URL -- get [COOKIE]      the URL again and again
--   wrk … -s requests.lua URL -- vote OBJECTS TAG  votes, each by a voter never seen before, from an
--                                                  address of its own, spread over so many objects;
--                                                  TAG makes voters unique

local threads_made = 0

function setup(thread)
  thread:set("number", threads_made)
  threads_made = threads_made + 1
end

local function voting(objects, tag)
  local head = "POST " .. wrk.path .. " HTTP/1.1\r\nHost: " .. wrk.headers["Host"] ..
    "\r\nContent-Type: application/json\r\nUser-Agent: bench/" .. tag .. "/" .. number .. "/"
  local count = 0
  math.randomseed(number + 1)
  return function()
    count = count + 1
    local body = '{"object_id":' .. math.random(objects) .. ',"category":"binary","value":' ..
      math.random(0, 1) .. '}'
    local address = string.format("10.%d.%d.%d", number * 64 + math.floor(count / 65536) % 64,
      math.floor(count / 256) % 256, count % 256)
    return head .. count .. "\r\nX-Sandbox-Address: " .. address .. "\r\nContent-Length: " .. #body .. "\r\n\r\n" .. body
  end
end

function init(args)
  if args[1] == "vote" then
    request = voting(tonumber(args[2]), args[3])
  elseif args[2] then
    wrk.headers["Cookie"] = args[2]
  end
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '{"requests":%d,"seconds":%.3f,"p50_ms":%.3f,"p99_ms":%.3f,"refused":%d,"broken":%d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3,
    latency:percentile(99) / 1e3, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout))
end
