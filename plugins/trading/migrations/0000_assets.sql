-- Tokens that may be traded, by chain and address. A row is never deleted: what the issuer took
-- from its list stays, and waits for an operator.
create table trading.asset (
	chain_id int8 not null,
	address bytea not null,
	-- `stock`, or `stable` for a settlement token that the configuration names, `wrapped` for the
	-- chain's wrapped coin.
	kind text not null,
	-- The issuer's own id; null for what the configuration names.
	uid text,
	symbol text not null,
	-- What the symbol looks like (UTS 39): no two that may be traded look alike.
	skeleton text not null,
	name text not null,
	decimals int2 not null,
	-- See `states/assetStates.ts`.
	status text not null,
	-- What the last check found: `no_code`, `decimals_wrong`, ...
	flaws text[] not null default '{}',
	-- Whether the issuer's newest list, or the configuration, has it.
	is_listed boolean not null,
	-- The operator whose refusal only an operator takes back.
	held_by text,
	feed bytea,
	-- The operator who named the feed; null: the configuration did.
	feed_set_by text,
	-- ERC-8056, 1e18 is one; null where the token has none.
	multiplier numeric(78),
	pending_multiplier numeric(78),
	pending_at timestamptz,
	checked_block int8 not null,
	checked_at timestamptz not null,
	first_seen_at timestamptz not null,
	changed_at timestamptz not null,
	unlisted_at timestamptz,
	primary key (chain_id, address)
) with (fillfactor = 75);
--> statement-breakpoint
create unique index asset_ticker on trading.asset (chain_id, skeleton) where status <> 'rejected';
--> statement-breakpoint
create index asset_listed on trading.asset (chain_id, symbol, address);
--> statement-breakpoint
-- Where somebody says that they live, as an operator recorded it: who may trade stock tokens.
create table trading.attestation (
	profile_id uuid primary key,
	-- ISO 3166-1, two letters.
	country text not null,
	-- False: an operator refuses this profile, whatever it attests.
	is_eligible boolean not null,
	attested_at timestamptz not null,
	recorded_by text not null,
	recorded_at timestamptz not null
);
