-- From an operator's tag to what happened while they drove: asked within write transactions, which must not scan.
create index incursions_of_operator on incursions (brand_id, operator_tag_id, started_at) where operator_tag_id is not null;
create index runtime_pieces_of_operator on runtime_pieces (brand_id, operator_tag_id, started_at) where operator_tag_id is not null;
create index visitor_sessions_of_assignment on visitor_sessions (tag_assignment_id);
