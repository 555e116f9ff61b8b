-- What X has billed of each UTC day: the same item again on that day costs nothing.
create table social.read_item (
	day date not null,
	-- `post:<id>`, `dm:<id>` or `user:<id>`.
	id text not null,
	primary key (day, id)
);
--> statement-breakpoint
-- What was read in each UTC day, and since when: the rate of a forecast.
create table social.read_day (
	day date primary key,
	reads int8 not null,
	began_at timestamptz not null
);
