-- What the provider adds to a collection. Figures that lists sort and show stay in `collection`.
alter table market_index.collection
	add column description text,
	add column banner_image_url text,
	add column external_url text,
	-- The floor as it was asked for, in the currency that it was asked in, and its worth in USD then.
	add column floor_price float8,
	add column floor_symbol text,
	add column floor_usd float8,
	add column floor_at timestamptz,
	-- What the provider says of owners and supply; our own walk goes first (see README). It has the
	-- place that 0000 gave to owners.
	drop column owners_count,
	add column provider_owners int4,
	add column provider_supply numeric(78),
	-- The provider's own row and stats, as they were sent.
	add column provider_row jsonb,
	add column provider_stats jsonb,
	add column provider_stats_at timestamptz;
--> statement-breakpoint
-- How the merge with the provider stands, apart from the figures so that these stay narrow. There is
-- a row for each collection that was ever looked for there.
create table market_index.sync (
	collection_id int4 primary key references market_index.collection (id) on delete cascade,
	chain_id int8 not null,
	-- What the provider calls it; null until it is known, or where it knows no such contract.
	provider_slug text,
	-- When it was last asked what it calls it.
	named_at timestamptz,
	started_at timestamptz,
	synced_at timestamptz,
	-- Failures since the last success; the next attempt waits longer after each.
	failures int4 not null default 0,
	failed_code text,
	next_at timestamptz not null default now(),
	-- When a sync was last put in line, whoever asked for it: what asks again too soon is not heard.
	enqueued_at timestamptz,
	-- Sales of the provider are held up to here (a lean sync asks for what came after).
	events_until timestamptz,
	lean_at timestamptz,
	-- Somebody looks at it until then: its order book is kept current.
	watched_until timestamptz,
	-- Bumped by each sync of the order book: orders of an earlier one are no longer in it.
	generation int4 not null default 0,
	orders_at timestamptz,
	-- Not before then again; whoever syncs the book moves it, so that nobody else does.
	orders_due_at timestamptz not null default now(),
	-- When traits were last counted and tokens ranked, and when it was last asked for all its tokens.
	traits_at timestamptz,
	ranked_at timestamptz,
	nfts_at timestamptz
) with (fillfactor = 75);
--> statement-breakpoint
create index sync_due on market_index.sync (next_at);
--> statement-breakpoint
create index sync_lean on market_index.sync (lean_at nulls first) where provider_slug is not null;
--> statement-breakpoint
create index sync_watched on market_index.sync (watched_until) where watched_until is not null;
--> statement-breakpoint
create unique index sync_slug on market_index.sync (chain_id, provider_slug)
	where provider_slug is not null;
--> statement-breakpoint
create table market_index.floor_snapshot (
	collection_id int4 not null,
	at timestamptz not null,
	floor_native numeric(78) not null,
	floor_usd float8,
	primary key (collection_id, at)
);
--> statement-breakpoint
-- The provider's order book, one row for an order. Retired orders are kept for a week.
create table market_index.market_order (
	collection_id int4 not null,
	order_hash bytea not null,
	-- 0 listing, 1 offer on an item, 2 on the collection, 3 on traits.
	kind int2 not null,
	is_active boolean not null,
	generation int4 not null,
	token_id numeric(78),
	maker bytea not null,
	quantity numeric(78) not null,
	currency bytea,
	symbol text not null,
	decimals int4 not null,
	-- For all `quantity` units, in base units of the currency; and for one, in wei of ETH.
	total_raw numeric(78) not null,
	unit_native numeric(78),
	protocol_address bytea,
	criteria jsonb not null default '[]',
	is_private boolean not null default false,
	protocol_data jsonb,
	starts_at timestamptz,
	expires_at timestamptz,
	seen_at timestamptz not null,
	retired_at timestamptz,
	primary key (collection_id, order_hash)
) with (fillfactor = 75);
--> statement-breakpoint
create index market_order_book on market_index.market_order
	(collection_id, kind, unit_native) where is_active;
--> statement-breakpoint
create index market_order_token on market_index.market_order
	(collection_id, token_id, kind) where is_active;
--> statement-breakpoint
create index market_order_retired on market_index.market_order (retired_at) where not is_active;
--> statement-breakpoint
-- What a token says of itself, and its rank among the others.
create table market_index.token (
	collection_id int4 not null,
	token_id numeric(78) not null,
	name text,
	description text,
	image_url text,
	animation_url text,
	token_uri text,
	-- SHA-256 of the URI: a base URI that was swapped leaves a trace.
	token_uri_hash bytea,
	-- [{ "type", "value", "displayType"? }], normalised; null while nobody told them.
	traits jsonb,
	rank int4,
	score float8,
	-- `chain`: read from the token's URI; `provider`: as the provider told it.
	source text,
	fetched_at timestamptz,
	failures int4 not null default 0,
	failed_code text,
	next_at timestamptz,
	primary key (collection_id, token_id)
) with (fillfactor = 75);
--> statement-breakpoint
create index token_rank on market_index.token (collection_id, rank) where rank is not null;
--> statement-breakpoint
create index token_due on market_index.token (next_at) where next_at is not null;
--> statement-breakpoint
create table market_index.trait_count (
	collection_id int4 not null,
	trait_type text not null,
	value text not null,
	tokens int4 not null,
	-- The best ask for a token with this value, where the provider tells it.
	floor_native numeric(78),
	primary key (collection_id, trait_type, value)
);
--> statement-breakpoint
create table market_index.drop (
	chain_id int8 not null,
	contract bytea not null,
	provider_slug text not null,
	name text,
	image_url text,
	type text not null,
	is_minting boolean not null,
	stages jsonb not null,
	max_supply numeric(78),
	total_supply numeric(78),
	starts_at timestamptz,
	ends_at timestamptz,
	seen_at timestamptz not null,
	detail_at timestamptz,
	primary key (chain_id, contract)
);
--> statement-breakpoint
create index drop_next on market_index.drop (chain_id, starts_at);
--> statement-breakpoint
-- The provider's lists as the discovery worker last read them.
create table market_index.discovery_list (
	chain_id int8 not null,
	mode text not null,
	refreshed_at timestamptz not null,
	-- Rows in the provider's order, as they were sent, with our own figures beside each.
	rows jsonb not null,
	primary key (chain_id, mode)
);
--> statement-breakpoint
-- Events that only the provider told, until the chain itself tells them; then the row that stands for
-- one is replaced by the chain's. Small: most are confirmed within seconds.
create table market_index.unconfirmed (
	chain_id int8 not null,
	transaction_hash bytea not null,
	collection_id int4 not null,
	-- 0 sale, 1 mint, 2 transfer: what an event of the chain has to be to confirm it.
	kind int2 not null,
	token_id numeric(78) not null,
	-- The row in `event` that stands for it.
	block_number int8 not null,
	log_index int4 not null,
	sub_index int4 not null,
	occurred_at timestamptz not null,
	primary key (chain_id, transaction_hash, collection_id, token_id, kind, sub_index)
);
--> statement-breakpoint
-- What was paid in a currency whose rate was not known then: found again once it is. What is priced
-- (all of it, where coins are ETH) is not in here and costs an insert nothing.
create index event_unpriced on market_index.event (chain_id, currency, occurred_at)
	where total_native is null and total_raw is not null;
--> statement-breakpoint
-- What a search looks for: the words of a name and of a slug. It changes only with them.
alter table market_index.collection add column words tsvector generated always as (
	to_tsvector('simple'::regconfig, coalesce(name, '') || ' ' || replace(slug, '-', ' '))
) stored;
--> statement-breakpoint
create index collection_words on market_index.collection using gin (words);
