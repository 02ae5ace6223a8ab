-- The user whose limit of unfinished reports a run counts towards: the author, or whoever has the report made again. None for what is made
-- again after an erasure, which counts towards nobody's limit.
alter table reports add column requester_id bigint references users (id);
update reports set requester_id = author_id;
drop index reports_unfinished;
create index reports_unfinished on reports (brand_id, requester_id) where state in ('queued', 'running');

-- A report that is ready has no reason, even if making it again has failed.
update reports set reason = null where state = 'ready';

-- What has ended is deleted in batches, the oldest first.
create index reports_ended on reports (updated_at, id) where state in ('failed', 'expired');
create index site_reports_ended on site_reports (updated_at, id) where state in ('failed', 'expired');
