-- Money on its way from one chain to another. What its steps hold or spent is in the spend ledger;
-- here is what was agreed, and where the money is by the provider's word and by both chains.
create table bridge.bridge (
	id uuid primary key,
	profile_id uuid not null,
	-- Null: its profile had none to use.
	wallet_id uuid,
	channel text not null,
	-- Its owner is asked by a link, whatever their profile says.
	asks boolean not null,
	-- As it was asked for, and as that was resolved: see `quote/BridgeRoute.ts`.
	request jsonb not null,
	route jsonb,
	-- See `states/bridgeStates.ts`.
	status text not null,
	error_code text,
	detail text,
	quote_seq int4,
	-- The intent that deposits; those before it are linked to it.
	intent_id uuid unique,
	deposit_hash bytea,
	-- When the deposit was first seen in a block.
	deposited_at timestamptz,
	-- The provider's newest word, and since when it has been `failure`.
	provider_status text,
	provider_reason text,
	failed_at timestamptz,
	-- Since when it claims an end that no chain has confirmed.
	claimed_at timestamptz,
	hinted_at timestamptz,
	-- What arrived, or came back: where, and how much of it was seen there.
	out_hash bytea,
	out_chain_id int8,
	out_currency bytea,
	arrived_raw numeric(78),
	is_verified boolean,
	-- An operator holds it back from further steps; what was sent is followed all the same.
	held_at timestamptz,
	created_at timestamptz not null,
	changed_at timestamptz not null,
	-- When it is looked at next; null: never again.
	look_at timestamptz,
	looks int4 not null default 0
) with (fillfactor = 75);
--> statement-breakpoint
create index bridge_of_profile on bridge.bridge (profile_id, id desc);
--> statement-breakpoint
create index bridge_before on bridge.bridge (look_at)
	where look_at is not null and deposited_at is null;
--> statement-breakpoint
create index bridge_after on bridge.bridge (look_at)
	where look_at is not null and deposited_at is not null;
--> statement-breakpoint
-- What the provider offered for a bridge, checked, with every step, before anything is executed.
create table bridge.quote (
	bridge_id uuid not null references bridge.bridge (id),
	seq int4 not null,
	request_id bytea not null unique,
	order_id bytea not null,
	depository bytea not null,
	minimum_out_raw numeric(78) not null,
	expected_out_raw numeric(78) not null,
	expires_at timestamptz not null,
	-- Ordered; see `quote/steps.ts`.
	steps jsonb not null,
	-- Fees, impact, estimate and the signed order, as the provider told them.
	told jsonb not null,
	created_at timestamptz not null,
	primary key (bridge_id, seq)
);
--> statement-breakpoint
-- Every move of a bridge. It has few: each look that finds nothing new writes none.
create table bridge.move (
	bridge_id uuid not null references bridge.bridge (id),
	seq int8 generated always as identity,
	from_status text not null,
	to_status text not null,
	event text not null,
	detail text,
	at timestamptz not null,
	primary key (bridge_id, seq)
);
--> statement-breakpoint
-- Who gets what arrives on a chain, and what comes back there, unless a bridge names somebody.
create table bridge.preference (
	profile_id uuid not null,
	chain_id int8 not null,
	recipient bytea,
	refund_to bytea,
	changed_at timestamptz not null,
	primary key (profile_id, chain_id),
	constraint preference_says check (recipient is not null or refund_to is not null)
);
--> statement-breakpoint
-- Chains that an operator took out, or back in.
create table bridge.chain_switch (
	chain_id int8 primary key,
	is_on boolean not null,
	changed_by text not null,
	changed_at timestamptz not null
);
