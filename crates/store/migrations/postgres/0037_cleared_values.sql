-- The value on which a firing cleared. Null while it is open, if there was none any more, and for what cleared before.
alter table alert_firings add column cleared_numerator bigint;
alter table alert_firings add column cleared_denominator bigint;
