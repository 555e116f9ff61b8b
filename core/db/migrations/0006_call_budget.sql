-- The time of each RPC endpoint that limits calls, as all processes reserve it: one row for each,
-- rewritten by each reservation. Times are milliseconds since 1970 by this server's clock.
create table core.call_budget (
	key bytea primary key,
	-- Where the next reservation begins.
	next_at float8 not null,
	-- Of the reservation that wrote the row last: where it began, and by which rate.
	in_ms float8 not null,
	used_per_second float8 not null,
	-- What refusals taught, in calls a second, how often it changed, and when last.
	per_second float8,
	version int4,
	learned_at float8
) with (fillfactor = 50);
