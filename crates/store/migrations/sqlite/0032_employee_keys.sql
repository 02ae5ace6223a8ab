-- Employee ids that look the same count as equal: characters that are not shown and the forms of a letter are ignored. The program
-- computes the keys of all people anew, because SQL cannot fold text as it does (store/src/engine/migrate.rs).
update people set employee_key = null where employee_id is null;
