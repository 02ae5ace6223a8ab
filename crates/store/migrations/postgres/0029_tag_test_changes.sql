-- The time at which a test was last attributed again; none if it has stayed as it was recorded.
alter table tag_tests add column updated_at bigint;
