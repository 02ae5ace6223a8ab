-- Asks for one page after the other of those that the file PAGES names, a path a line.
local paths, last = {}, 0
for path in io.lines(os.getenv("PAGES")) do paths[#paths + 1] = path end

function request()
  last = last % #paths + 1
  return wrk.format("GET", paths[last])
end
