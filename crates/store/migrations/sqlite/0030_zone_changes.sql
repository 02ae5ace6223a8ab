-- The time at which zones were last ended or reopened; none if they have stayed as they were set.
alter table base_station_zones add column updated_at integer;
