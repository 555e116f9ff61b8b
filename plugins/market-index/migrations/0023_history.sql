-- How many tokens of a collection were listed (metric 1) and how many accounts held it (2), in time.
-- A point is written where the figure changed, or where its source told the same an hour later; null
-- where it ceased to be known. `as_of` is the time that the figure stood for.
create table market_index.figure_history (
	collection_id int4 not null,
	metric int2 not null,
	at timestamptz not null,
	value int8,
	-- 1 provider, 2 walk, 3 chain; null with the value.
	source int2,
	as_of timestamptz,
	primary key (collection_id, metric, at)
);
