-- What people asked to trade, whatever became of it: each row is one command. Money is moved by the
-- intent that it names, in `wallets`.
create table trading.trade (
	id uuid primary key,
	profile_id uuid not null,
	wallet_id uuid,
	channel text not null,
	-- As it was typed; null where its parsed form was sent.
	command text,
	-- Its parsed form.
	wish jsonb not null,
	chain_id int8 not null,
	-- Null until it is known, a moment after both are made.
	intent_id uuid,
	-- What its intent was made of: what is swapped for what and its bounds, or why nothing is.
	terms jsonb not null,
	-- What was in force when it was asked for: bounds, the profile's settings, the wallet.
	settings jsonb not null,
	-- Each check that was made, in its order, and what it said.
	policy jsonb not null,
	notional_usd_micros int8,
	-- The exact allowance that it needed first.
	approval jsonb,
	-- What the receipt says: transaction, block, spent and received.
	settled jsonb,
	created_at timestamptz not null
) with (fillfactor = 80);
--> statement-breakpoint
create index trade_of_profile on trading.trade (profile_id, id desc);
--> statement-breakpoint
-- Every way that a source named for a trade, taken or not.
create table trading.quote (
	id int8 generated always as identity primary key,
	trade_id uuid not null references trading.trade (id),
	asked_at timestamptz not null,
	source text not null,
	is_taken boolean not null,
	-- Null where the source did not answer; `code` says why.
	in_raw numeric(78),
	out_raw numeric(78),
	block_number int8,
	impact_bps int4,
	-- The source's own name for its answer.
	request_id text,
	-- The pools; null for a way that is not executed here.
	hops jsonb,
	code text,
	detail jsonb not null
);
--> statement-breakpoint
create index quote_of_trade on trading.quote (trade_id, id);
