-- Requests for new passwords are in no row any more: what strangers typed goes. Whoever still waits for a mail asks again.
delete from jobs where kind = 'password_reset_request';

-- Jobs are claimed brand by brand, and within a brand by kind and time. What belongs to no brand counts as one.
drop index jobs_waiting;
create index jobs_turns on jobs (coalesce(brand_id, 0), kind, run_at, id) where state = 'waiting';
