-- Fetches the commands of stations, whose tokens are in the file TOKENS_FILE, one token per line, in turn.
local tokens, index = {}, 0
for token in io.lines(os.getenv("TOKENS_FILE")) do tokens[#tokens + 1] = token end

function request()
  index = index % #tokens + 1
  return wrk.format("GET", nil, { ["Authorization"] = "Bearer " .. tokens[index] })
end
