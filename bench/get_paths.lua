-- Requests the paths in the file PATHS_FILE, one path per line, in turn.
local paths, index = {}, 0
for path in io.lines(os.getenv("PATHS_FILE")) do paths[#paths + 1] = path end

function request()
  index = index % #paths + 1
  return wrk.format("GET", paths[index])
end
