-- What all processes together took of somebody else's allowance: one row for each, rewritten by
-- each take. Times are milliseconds since 1970 by this server's clock; `taken_of` are the kinds
-- that a unit counts into, by blanks.
create table core.budget (
	key bytea primary key,
	taken_at int8[] not null default '{}',
	taken_of text[] not null default '{}',
	-- Of the take that wrote the row last: its answer, and when it was.
	granted boolean not null,
	asked_at int8 not null,
	paused_until int8
) with (fillfactor = 50);
