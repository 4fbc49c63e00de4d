-- Makes the requests that wrk sends, and prints the result as one line of JSON.
--
--   wrk … -s requests.lua URL -- PACE get [COOKIE ...]   requests the URL repeatedly, each time with one of
--                                                        the cookies
--   wrk … -s requests.lua URL -- PACE vote OBJECTS TAG   sends votes in the same way as the widget. Each vote
--                                                        comes from a new voter with a separate address. The
--                                                        votes are spread over OBJECTS objects. TAG is a
--                                                        hexadecimal number that makes the voters unique and
--                                                        chooses the objects and addresses.
--   wrk … -s requests.lua URL -- PACE bare_vote OBJECTS TAG
--                                                        does the same as "vote" without device tokens and
--                                                        without Sec-Fetch-Site
--   wrk … -s requests.lua URL -- PACE facets_vote OBJECTS TAG
--                                                        does the same as "vote". Each vote is for three
--                                                        facets of an object.
--   wrk … -s requests.lua BASE -- PACE mixed OBJECTS TAG [COOKIE ...]
--                                                        sends 95 reads and 5 votes in 100 requests. Objects
--                                                        are chosen by a power law. If there are cookies, each
--                                                        request comes from a voter with one of the cookies.
--   wrk … -s requests.lua BASE -- PACE evenly_mixed OBJECTS TAG
--                                                        does the same, spread evenly over the objects
--   wrk … -s requests.lua URL -- PACE strangers          requests the URL, each time from another address
--   wrk … -s requests.lua URL -- PACE thousand           requests the URL from a thousand addresses
--
-- PACE is the number of milliseconds for which a connection pauses before each request. If it is 0, the connection
-- sends requests as fast as it can.

local threads_made = 0
local ADDRESSES = 64 * 65536  -- of a thread

function setup(thread)
  thread:set("number", threads_made)
  threads_made = threads_made + 1
end

local function address(count)
  return string.format("10.%d.%d.%d", number * 64 + math.floor(count / 65536) % 64,
    math.floor(count / 256) % 256, count % 256)
end

local function like(object)
  return '{"object_id":' .. object .. ',"category":"binary","value":' .. math.random(0, 1) .. '}'
end

local function three_facets(object)
  return '{"object_id":' .. object .. ',"category":"scale","scale":5,"facets":{"taste":' .. math.random(5) ..
    ',"service":' .. math.random(5) .. ',"price":' .. math.random(5) .. '}}'
end

local function voter(path, tag, cookies, body_on)
  local head = "POST " .. path .. " HTTP/1.1\r\nHost: " .. wrk.headers["Host"] ..
    "\r\nContent-Type: application/json\r\n"
  if tag then head = head .. "Sec-Fetch-Site: same-origin\r\n" end
  local function proof(count)
    if cookies then return "Cookie: " .. cookies[math.random(#cookies)] .. "\r\n" end
    if not tag then return "" end
    return "X-Ratingd-Device: bench-device-token-" .. tag .. "-" .. number .. "-" .. count .. "\r\n"
  end
  local first = math.random(ADDRESSES)
  return function(count, object)
    local body = (body_on or like)(object)
    return head .. proof(count) .. "X-Sandbox-Address: " .. address(first + count) ..
      "\r\nContent-Length: " .. #body .. "\r\n\r\n" .. body
  end
end

local function counting(make)
  local count = 0
  return function()
    count = count + 1
    return make(count)
  end
end

local function voting(objects, tag, body_on)
  local vote = voter(wrk.path, tag, nil, body_on)
  return counting(function(count) return vote(count, math.random(objects)) end)
end

local function mixed(draw, tag, cookies)
  local vote = voter(wrk.path .. "/rate", tag, cookies)
  local read = "GET " .. wrk.path .. "/stats/"
  local rest = "?object_type=post HTTP/1.1\r\nHost: " .. wrk.headers["Host"] .. "\r\n"
  return counting(function(count)
    local object = draw()
    if math.random(100) <= 5 then return vote(count, object) end
    if not cookies then return read .. object .. rest .. "\r\n" end
    return read .. object .. rest .. "Cookie: " .. cookies[math.random(#cookies)] .. "\r\n\r\n"
  end)
end

local function reading_from(addresses)
  local head = "GET " .. wrk.path .. " HTTP/1.1\r\nHost: " .. wrk.headers["Host"] ..
    "\r\nX-Sandbox-Address: "
  return counting(function(count) return head .. address(count % addresses) .. "\r\n\r\n" end)
end

local function reading_as(cookies)
  local requests = {}
  for i, cookie in ipairs(cookies) do
    requests[i] = wrk.format(nil, nil, { Cookie = cookie })
  end
  return function() return requests[math.random(#requests)] end
end

function init(args)
  local pace, kind, objects, tag = tonumber(args[1]), args[2], tonumber(args[3]), args[4]
  math.randomseed(number + 1 + (tag and tonumber(tag, 16) or 0))
  if pace > 0 then
    delay = function() return pace end
  end
  if kind == "vote" then
    request = voting(objects, tag)
  elseif kind == "facets_vote" then
    request = voting(objects, tag, three_facets)
  elseif kind == "bare_vote" then
    request = voting(objects)
  elseif kind == "mixed" then
    local cookies = args[5] and { unpack(args, 5) }
    request = mixed(function() return math.floor(objects ^ math.random()) end, tag, cookies)
  elseif kind == "evenly_mixed" then
    request = mixed(function() return math.random(objects) end, tag)
  elseif kind == "strangers" then
    request = reading_from(ADDRESSES)
  elseif kind == "thousand" then
    number = number + 2  -- other addresses than those of strangers
    request = reading_from(500)  -- by each of two threads
  elseif args[3] then
    request = reading_as({ unpack(args, 3) })
  end
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '{"requests":%d,"seconds":%.3f,"p50_ms":%.3f,"p99_ms":%.3f,"p999_ms":%.3f,"refused":%d,"broken":%d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3,
    latency:percentile(99) / 1e3, latency:percentile(99.9) / 1e3, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout))
end
