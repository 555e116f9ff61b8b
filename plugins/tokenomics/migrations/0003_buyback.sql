-- Runs that bought the token back, or tried to. What each holds or spent is in the spend ledger;
-- what was burned is in the ledger of the token's own events.
create table tokenomics.buyback_run (
	chain_id int8 not null,
	-- The ten minutes that it is the one run of.
	slot int8 not null,
	router bytea not null,
	currency bytea not null,
	symbol text not null,
	decimals int4 not null,
	spend_raw numeric(78) not null,
	-- What that was worth when it began.
	usd_micros int8 not null,
	-- Null only within the transaction that records both.
	intent_id uuid unique,
	started_at timestamptz not null,
	-- Since when nothing more is sent for it.
	settled_at timestamptz,
	-- What it spent is in `buyback_spent`: it is too old to change.
	is_folded boolean not null default false,
	primary key (chain_id, slot)
) with (fillfactor = 80);
--> statement-breakpoint
-- One run at a time, whoever asks.
create unique index buyback_run_open on tokenomics.buyback_run (chain_id) where settled_at is null;
--> statement-breakpoint
create index buyback_run_unfolded on tokenomics.buyback_run (chain_id, slot) where not is_folded;
--> statement-breakpoint
create index buyback_run_folded on tokenomics.buyback_run (started_at) where is_folded;
--> statement-breakpoint
-- What runs that are folded spent of a router's revenue.
create table tokenomics.buyback_spent (
	chain_id int8 not null,
	router bytea not null,
	currency bytea not null,
	spent_raw numeric(78) not null,
	primary key (chain_id, router, currency)
);
--> statement-breakpoint
-- What the newest turn of the job came to.
create table tokenomics.buyback_look (
	chain_id int8 primary key,
	slot int8 not null,
	at timestamptz not null,
	-- Why it spent nothing; null: it began a run.
	code text,
	detail text,
	left_over jsonb not null
);
