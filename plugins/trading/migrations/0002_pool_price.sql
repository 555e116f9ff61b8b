-- What the pools said in each minute, for the time-weighted price of pools that keep no history of
-- their own. A row is kept for a day.
create table trading.pool_price (
	pool bytea not null,
	minute timestamptz not null,
	-- Ticks of Uniswap V3 (logarithms of the price to the base 1.0001), added up, and how many.
	tick_sum int8 not null,
	samples int4 not null,
	primary key (pool, minute)
) with (fillfactor = 75);
--> statement-breakpoint
create index pool_price_minute on trading.pool_price (minute);
