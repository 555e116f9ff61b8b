-- A contract whose events are in the ledger, and how far they are.
create table tokenomics.followed (
	chain_id int8 not null,
	address bytea not null,
	-- token, router or burner.
	role text not null,
	-- Nothing of it is before this block.
	from_block int8 not null,
	-- The last block that was read, and its hash; null: none was.
	read_to int8 not null,
	read_hash bytea,
	read_at timestamptz,
	-- The last block at which the ledger and the chain said the same.
	agreed_to int8 not null,
	agreed_hash bytea,
	agreed_at timestamptz,
	-- Since when they differ, in what, and how often it was read again for that.
	differs_since timestamptz,
	difference text,
	rereads int4 not null default 0,
	primary key (chain_id, address, role)
) with (fillfactor = 70);
--> statement-breakpoint
-- The treasury ledger: one row for each event of router and burner, below final depth. A burn has
-- exactly one, because the event has one place on the chain.
create table tokenomics.entry (
	chain_id int8 not null,
	transaction_hash bytea not null,
	log_index int4 not null,
	contract bytea not null,
	block int8 not null,
	at timestamptz not null,
	-- revenue_received, share_paid, buyback_burned, split_set or payee_set.
	entry_type text not null,
	source bytea,
	currency bytea,
	-- Who paid, was paid, bought, or became the payee.
	party bytea,
	bucket int2,
	amount numeric(78),
	burned numeric(78),
	pool bytea,
	bps int4[],
	-- The place of the split that was in force: a share is of its undivided total.
	split_block int8,
	split_index int4,
	primary key (chain_id, transaction_hash, log_index)
);
--> statement-breakpoint
create index entry_by_place on tokenomics.entry (chain_id, block desc, log_index desc);
--> statement-breakpoint
create index entry_by_type on tokenomics.entry (chain_id, entry_type, block desc, log_index desc);
--> statement-breakpoint
create index entry_by_currency on tokenomics.entry (chain_id, currency, block desc, log_index desc);
--> statement-breakpoint
-- Sums of entries and transfers, kept with them: nobody who reads adds a million rows.
create table tokenomics.total (
	chain_id int8 not null,
	contract bytea not null,
	-- See `ledger/totals.ts`.
	kind text not null,
	source bytea not null,
	currency bytea not null,
	bucket int2 not null,
	split_block int8 not null,
	split_index int4 not null,
	entries int8 not null,
	amount numeric(78) not null,
	burned numeric(78) not null,
	first_block int8 not null,
	last_block int8 not null,
	last_at timestamptz,
	primary key (chain_id, contract, kind, currency, bucket, source, split_block, split_index)
) with (fillfactor = 70);
--> statement-breakpoint
create index total_by_age on tokenomics.total (chain_id, contract, kind, first_block);
--> statement-breakpoint
-- Who holds the token, and how much of it. Who holds none has no row.
create table tokenomics.holder (
	chain_id int8 not null,
	token bytea not null,
	holder bytea not null,
	balance numeric(78) not null,
	primary key (chain_id, token, holder)
) with (fillfactor = 80);
--> statement-breakpoint
create index holder_by_balance on tokenomics.holder (chain_id, token, balance desc);
--> statement-breakpoint
-- Transfers of the token since the ledger last agreed with the chain: what has to be undone where
-- they do not agree any more.
create table tokenomics.transfer (
	chain_id int8 not null,
	token bytea not null,
	block int8 not null,
	log_index int4 not null,
	from_address bytea not null,
	to_address bytea not null,
	amount numeric(78) not null,
	primary key (chain_id, token, block, log_index)
);
--> statement-breakpoint
-- What currencies are called, as their contracts say.
create table tokenomics.currency (
	chain_id int8 not null,
	address bytea not null,
	symbol text,
	decimals int4,
	read_at timestamptz not null,
	primary key (chain_id, address)
);
