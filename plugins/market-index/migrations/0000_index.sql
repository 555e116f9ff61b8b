-- One row for each contract ever seen minting or selling. Figures that must be exact at any size
-- are kept here and in the rollups; nothing on a hot path counts events.
create table market_index.collection (
	id int4 generated always as identity primary key,
	chain_id int8 not null,
	address bytea not null,
	standard text not null,
	slug text not null,
	name text,
	image_url text,
	excluded boolean not null default false,
	sync_status text not null default 'queued',
	last_provider_at timestamptz,
	reveal_state text not null default 'unknown',
	reveal_checked_at timestamptz,
	revealed_at timestamptz,
	owners_count int4,
	listed_count int4,
	floor_native numeric(78),
	max_supply numeric(78),
	total_supply numeric(78),
	-- How many mint events the index held when `total_supply` was read.
	supply_mints int8,
	metadata_at timestamptz,
	-- Units that mint events brought into being, and how many such events there were.
	minted_units numeric(78) not null default 0,
	mints int8 not null default 0,
	first_mint_at timestamptz,
	last_mint_at timestamptz,
	last_mint_position int8,
	last_mint_total_raw numeric(78),
	last_mint_quantity numeric(78),
	-- The newest accepted sale, by position in the chain and not by arrival.
	sales int8 not null default 0,
	volume_native numeric(78) not null default 0,
	last_sale_at timestamptz,
	last_sale_position int8,
	last_sale_token_id numeric(78),
	last_sale_unit_native numeric(78),
	last_sale_transaction bytea,
	registered_at timestamptz not null default now(),
	unique (chain_id, slug),
	unique (chain_id, address)
) with (fillfactor = 75);
--> statement-breakpoint
-- New collections first, for the list's mode `new`.
create index collection_newest on market_index.collection (chain_id, registered_at desc, id desc);
--> statement-breakpoint
-- Former slugs keep leading to their collection.
create table market_index.former_slug (
	chain_id int8 not null,
	slug text not null,
	collection_id int4 not null references market_index.collection (id),
	primary key (chain_id, slug)
);
--> statement-breakpoint
-- What chains said. Partitioned by month of the block's time; partitions are made on demand.
-- A row is found by its place in the chain (the unique index) or by collection and time; there is
-- no index by transaction or by token: each costs every insert more than it serves.
create table market_index.event (
	occurred_at timestamptz not null,
	block_number int8 not null,
	chain_id int8 not null,
	collection_id int4 not null,
	log_index int4 not null,
	sub_index int4 not null,
	kind int2 not null,
	accepted boolean not null,
	onchain_verified boolean not null,
	block_hash bytea not null,
	transaction_hash bytea not null,
	from_address bytea not null,
	to_address bytea not null,
	token_id numeric(78) not null,
	quantity numeric(78) not null,
	currency bytea,
	total_raw numeric(78),
	-- The same total as an ETH equivalent in wei; null while no rate is known.
	total_native numeric(78),
	venue text,
	reason text,
	payload jsonb,
	unique (chain_id, block_number, log_index, sub_index, occurred_at)
) partition by range (occurred_at);
--> statement-breakpoint
-- `kind` costs no byte (it fills the padding before the time) and lets sales be read without
-- walking over a collection's mints.
create index event_by_collection on market_index.event (collection_id, kind, occurred_at);
--> statement-breakpoint
-- Times that no sane chain has: kept, and out of the way.
create table market_index.event_elsewhere partition of market_index.event default;
--> statement-breakpoint
-- Sales and mints of a collection in one minute. Prices are ETH equivalents in wei for one unit;
-- open and close carry the position they come from, so merges may arrive in any order.
create table market_index.rollup_minute (
	collection_id int4 not null,
	bucket timestamptz not null,
	chain_id int8 not null,
	sales int4 not null,
	priced int4 not null,
	units numeric(78) not null,
	mints int4 not null,
	volume numeric(78) not null,
	open numeric(78),
	high numeric(78),
	low numeric(78),
	close numeric(78),
	open_position int8,
	close_position int8,
	primary key (collection_id, bucket)
) with (fillfactor = 75);
--> statement-breakpoint
create index rollup_minute_recent on market_index.rollup_minute (chain_id, bucket);
--> statement-breakpoint
create table market_index.rollup_hour (
	like market_index.rollup_minute,
	primary key (collection_id, bucket)
) with (fillfactor = 75);
--> statement-breakpoint
create index rollup_hour_recent on market_index.rollup_hour (chain_id, bucket);
--> statement-breakpoint
create table market_index.rollup_day (
	like market_index.rollup_minute,
	primary key (collection_id, bucket)
) with (fillfactor = 75);
--> statement-breakpoint
create index rollup_day_recent on market_index.rollup_day (chain_id, bucket);
--> statement-breakpoint
-- Symbol and decimals of ERC-20s that sales were paid in, as their contracts say.
create table market_index.currency (
	chain_id int8 not null,
	address bytea not null,
	symbol text,
	decimals int4,
	primary key (chain_id, address)
);
