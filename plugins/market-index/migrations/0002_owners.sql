-- Contracts whose owners the index keeps. Up to `end_block` their transfers come from a walk over
-- their history, above it from the transfer lane; the walk is done where `next_block` is beyond it.
create table market_index.ownership (
	collection_id int4 primary key,
	-- Under which owners are stored. A new one forgets them all at once; the old ones' rows are
	-- cleared away later, and never taken for somebody's.
	set_id int4 generated always as identity unique,
	chain_id int8 not null,
	address bytea not null,
	-- Null until it is known where the contract's history begins.
	next_block int8,
	end_block int8 not null,
	rest_until timestamptz,
	-- Accounts that hold at least one unit; units that came into being, and that were destroyed.
	owners int8 not null default 0,
	minted numeric not null default 0,
	burned numeric not null default 0,
	watched_at timestamptz not null default now(),
	unique (chain_id, address)
) with (fillfactor = 75);
--> statement-breakpoint
-- Who owns which ids of an ERC-721: ids that were moved together lie in one row, so that a range of
-- 2^255 of them costs as much as one. Rows of a set never overlap. The zero address owns
-- what was destroyed.
create table market_index.owned_span (
	set_id int4 not null,
	from_id numeric(78) not null,
	to_id numeric(78) not null,
	owner bytea not null,
	-- The move that made it so, by its place in the chain; the latest one counts.
	position int8 not null,
	primary key (set_id, from_id)
) with (fillfactor = 80);
--> statement-breakpoint
-- Units of an ERC-1155 id that an account holds. Below zero while a walk has not come to where they
-- came from.
create table market_index.owned_units (
	set_id int4 not null,
	token_id numeric(78) not null,
	owner bytea not null,
	units numeric not null,
	primary key (set_id, token_id, owner)
) with (fillfactor = 80);
--> statement-breakpoint
-- What an account holds of a collection, all ids together; only those who hold something.
create table market_index.holder (
	set_id int4 not null,
	owner bytea not null,
	units numeric not null,
	primary key (set_id, owner)
) with (fillfactor = 80);
--> statement-breakpoint
-- The largest holders of a collection, page by page.
create index holder_largest on market_index.holder (set_id, units desc, owner);
--> statement-breakpoint
-- The journal, of blocks that may still leave the chain: who owned ids before the move of a block,
-- or would own them but for it. Null where nobody did.
create table market_index.span_before (
	chain_id int8 not null,
	block int8 not null,
	set_id int4 not null,
	from_id numeric(78) not null,
	to_id numeric(78) not null,
	owner bytea,
	position int8 not null
);
--> statement-breakpoint
create index span_before_block on market_index.span_before (chain_id, block);
--> statement-breakpoint
-- The journal of sums: what a block added to an account's units. With the zero address below zero
-- stands for units that came into being, above zero for units destroyed; the id is null for ERC-721.
create table market_index.units_added (
	chain_id int8 not null,
	block int8 not null,
	set_id int4 not null,
	token_id numeric(78),
	owner bytea not null,
	units numeric not null
);
--> statement-breakpoint
create index units_added_block on market_index.units_added (chain_id, block);
--> statement-breakpoint
-- Sets that nobody looks at any more, until their rows are cleared away.
create table market_index.owner_garbage (
	set_id int4 primary key
);
--> statement-breakpoint
-- From which block on the journal holds everything that a chain's moves changed.
create table market_index.owner_journal (
	chain_id int8 primary key,
	complete_from int8 not null
) with (fillfactor = 50);
--> statement-breakpoint
-- Distinct recipients of a collection's accepted mints and sales, and which events were counted:
-- what is shown for its owners where nobody knows better.
create table market_index.recipients (
	collection_id int4 primary key,
	recipients int8 not null,
	counted text not null,
	counted_at timestamptz not null default now()
) with (fillfactor = 75);
