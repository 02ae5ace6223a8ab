-- Each request hands a tag that was never seen before to another of the people.
local run, last = os.getenv("RUN"), 0

function request()
  last = last + 1
  local person = 1 + (last * 7919) % 10000
  return wrk.format("POST", nil, nil, string.format('{"tag_serial":"%s-%d","person_id":%d}', run, last, person))
end
