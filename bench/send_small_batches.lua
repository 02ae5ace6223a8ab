-- Sends batches of ten incursions of stations, whose tokens are in the file TOKENS_FILE, one token per line, in turn.
local prefix, started_at = os.getenv("NAME_PREFIX"), os.getenv("STARTED_AT")
local tokens, number = {}, 0
for token in io.lines(os.getenv("TOKENS_FILE")) do tokens[#tokens + 1] = token end

function request()
  number = number + 1
  local events = {}
  for event = 1, 10 do
    events[event] = string.format(
      '{"uid":"%s-%d-%d","kind":"incursion","tag":"TAG-%04d","started_at":"%s","duration_ms":%d,"zone":"warning","closest_cm":%d}',
      prefix, number, event, (number * 10 + event) % 200, started_at, 500 + number % 1000, 20 + number % 800
    )
  end
  local headers = { ["Authorization"] = "Bearer " .. tokens[number % #tokens + 1], ["Content-Type"] = "application/json" }
  return wrk.format("POST", nil, headers, "[" .. table.concat(events, ",") .. "]")
end
