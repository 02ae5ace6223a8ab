-- Assigns a new tag to another person with each request.
local serial_prefix, number = os.getenv("SERIAL_PREFIX"), 0

function request()
  number = number + 1
  local person = 1 + (number * 7919) % 10000
  return wrk.format("POST", nil, nil, string.format('{"tag_serial":"%s-%d","person_id":%d}', serial_prefix, number, person))
end
