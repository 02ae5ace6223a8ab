-- beside: 0038_last_received_runtime
-- What the rule of a firing was restricted to when it fired, and what it had one firing each for. Null for what had cleared before, because
-- its rule may have changed since, and for what a program of the version before adds. A change of a rule clears its open firings, so that
-- these are of the rule as it is.

alter table alert_firings add column scope text;
alter table alert_firings add column split_by text;

update alert_firings set
    scope = (select r.scope from alert_rules r where r.brand_id = alert_firings.brand_id and r.id = alert_firings.rule_id),
    split_by = (select r.split_by from alert_rules r where r.brand_id = alert_firings.brand_id and r.id = alert_firings.rule_id)
where cleared_at is null;
