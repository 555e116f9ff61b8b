-- The first traders of a season, by what counts. Written anew by each count.
create table tokenomics.standing (
	-- The first day of its month, UTC.
	season date not null,
	rank int4 not null,
	profile_id uuid not null,
	-- Its canonical wallet; null: it has none any more.
	wallet bytea,
	usd_micros int8 not null,
	trades int4 not null,
	primary key (season, rank)
);
--> statement-breakpoint
-- What was counted of a season, and when.
create table tokenomics.season (
	season date primary key,
	traders int4 not null,
	usd_micros int8 not null,
	-- Of wash trades and trades below the least: not counted.
	left_out_usd_micros int8 not null,
	counted_at timestamptz not null
);
