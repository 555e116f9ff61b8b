-- What is known of an aggregator (where a feed's answers stand) beside its rounds.
create table prices.feed (
	chain_id int8 not null,
	address bytea not null,
	decimals int4,
	primary key (chain_id, address)
);
--> statement-breakpoint
-- Decimals of priced tokens, as their contracts say.
create table prices.token (
	chain_id int8 not null,
	address bytea not null,
	decimals int4 not null,
	primary key (chain_id, address)
);
--> statement-breakpoint
create sequence prices.round_change as int8;
--> statement-breakpoint
-- Answers as they were read. `change` grows with every commit (writers hold a lock), so a process
-- that knows all up to one change reads on from there.
create table prices.round (
	chain_id int8 not null,
	feed bytea not null,
	round_id numeric(78) not null,
	answer numeric(78) not null,
	updated_at timestamptz not null,
	change int8 not null default nextval('prices.round_change'),
	primary key (chain_id, feed, round_id)
);
--> statement-breakpoint
create index round_by_change on prices.round (change);
--> statement-breakpoint
create index round_newest on prices.round (chain_id, feed, updated_at);
--> statement-breakpoint
-- Rounds between two that are known which were not read yet: below `above`, down to `below` (0: as
-- far back as is kept). The ones of a closed gap never will be.
create table prices.gap (
	chain_id int8 not null,
	feed bytea not null,
	below numeric(78) not null,
	above numeric(78) not null,
	rounds_asked int4 not null default 0,
	is_open boolean not null default true,
	primary key (chain_id, feed, below)
);
