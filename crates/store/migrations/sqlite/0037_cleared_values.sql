-- The value on which a firing cleared. Null while it is open, if there was none any more, and for what cleared before.
alter table alert_firings add column cleared_numerator integer;
alter table alert_firings add column cleared_denominator integer;
