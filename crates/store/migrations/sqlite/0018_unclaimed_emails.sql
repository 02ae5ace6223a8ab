-- Whoever is invited claims their email when they accept, not before: until then the brand stands behind its key.
update users set email_key = email_key || ' ' || brand_id where password_hash is null and state <> 'active';
