-- Who somebody is here: at most one social account, one user of the wallet provider's, one canonical
-- wallet. `revision` grows with whatever an armed plan must notice.
create table wallets.profile (
	id uuid primary key,
	social_user_id text unique,
	social_username text,
	-- The social account that its owner unlinked here: enrolling does not link it again by itself.
	social_unlinked_id text,
	provider_user_id text unique,
	canonical_wallet_id uuid,
	require_trade_confirmation boolean not null default false,
	-- Microdollars; null: the deployment's default.
	per_trade_usd_max int8 check (per_trade_usd_max >= 0),
	daily_usd_max int8 check (daily_usd_max >= 0),
	revision int8 not null default 1,
	created_at timestamptz not null
);
--> statement-breakpoint
create table wallets.wallet (
	id uuid primary key,
	profile_id uuid not null references wallets.profile (id),
	address bytea not null check (octet_length(address) = 20),
	chain_id int8 not null,
	capability text not null check (capability in (
		'external/manual', 'embedded/manual', 'embedded/delegated', 'review-required', 'disabled'
	)),
	-- The wallet provider's name for it; null for an external one.
	provider_wallet_id text,
	-- Microdollars that one intent may move; null: the deployment's default.
	notional_usd_max int8 check (notional_usd_max >= 0),
	revision int8 not null default 1,
	created_at timestamptz not null,
	removed_at timestamptz
);
--> statement-breakpoint
-- An address belongs to one profile at a time.
create unique index wallet_address on wallets.wallet (address) where removed_at is null;
--> statement-breakpoint
create unique index wallet_provider on wallets.wallet (provider_wallet_id) where removed_at is null;
--> statement-breakpoint
create index wallet_profile on wallets.wallet (profile_id);
--> statement-breakpoint
alter table wallets.profile add foreign key (canonical_wallet_id) references wallets.wallet (id);
--> statement-breakpoint
create table wallets.session (
	id uuid primary key,
	-- sha256 of the token; the token itself is nowhere.
	token_hash bytea not null unique check (octet_length(token_hash) = 32),
	profile_id uuid not null references wallets.profile (id),
	created_at timestamptz not null,
	seen_at timestamptz not null,
	expires_at timestamptz not null,
	revoked_at timestamptz
);
--> statement-breakpoint
create index session_profile on wallets.session (profile_id);
--> statement-breakpoint
create index session_expiry on wallets.session (expires_at);
--> statement-breakpoint
-- Deleted by the statement that uses it: used once, whoever comes at the same time.
create table wallets.siwe_nonce (
	nonce text primary key,
	expires_at timestamptz not null
);
--> statement-breakpoint
create index siwe_nonce_expiry on wallets.siwe_nonce (expires_at);
--> statement-breakpoint
-- What an operator switched: `kill:all`, `kill:chain:<id>`, `kill:plugin:<name>`,
-- `kill:wallet:<id>`, and settings by name. Read inside the transaction that reserves.
create table wallets.control (
	key text primary key,
	value jsonb not null,
	changed_by text not null,
	changed_at timestamptz not null
);
--> statement-breakpoint
create table wallets.intent (
	id uuid primary key,
	kind text not null,
	profile_id uuid not null references wallets.profile (id),
	wallet_id uuid not null references wallets.wallet (id),
	chain_id int8 not null,
	channel text not null check (channel in ('api', 'social', 'snipe', 'agent', 'job')),
	status text not null,
	error_code text,
	-- What was asked for, in the words of its kind's schema.
	request jsonb not null,
	-- Limits and switches as they were when it was made.
	settings jsonb not null,
	-- The decoded plan that is or was to be sent, and its keccak256.
	plan jsonb,
	plan_hash bytea check (octet_length(plan_hash) = 32),
	-- Several of one call are one batch: a wallet transfer to many.
	batch_id uuid,
	created_at timestamptz not null,
	changed_at timestamptz not null,
	expires_at timestamptz not null
);
--> statement-breakpoint
create index intent_profile on wallets.intent (profile_id, created_at desc, id desc);
--> statement-breakpoint
create index intent_batch on wallets.intent (batch_id) where batch_id is not null;
--> statement-breakpoint
-- What the reconciler has to look at.
create index intent_open on wallets.intent (changed_at)
	where status in ('created', 'submitting', 'submitted', 'uncertain', 'confirmation_required',
		'review_required', 'signature_required');
--> statement-breakpoint
-- Every move of an intent, as it was made.
create table wallets.intent_move (
	intent_id uuid not null references wallets.intent (id),
	seq int4 not null,
	event text not null,
	from_status text not null,
	to_status text not null,
	detail text,
	at timestamptz not null,
	primary key (intent_id, seq)
);
--> statement-breakpoint
-- One transaction that is, or was, sent for an intent's step: never two for one step. Its id is the
-- wallet provider's reference, and its idempotency key.
create table wallets.submission (
	id uuid primary key,
	intent_id uuid not null references wallets.intent (id),
	step int4 not null,
	wallet_id uuid not null references wallets.wallet (id),
	chain_id int8 not null,
	sender bytea not null check (octet_length(sender) = 20),
	-- Null where the owner's own wallet chose it.
	nonce int8,
	-- to, valueRaw, data, gas and fees, exactly as sent.
	transaction jsonb,
	gas_limit numeric(78),
	-- The chain's head when the nonce was taken: where looking for it begins.
	from_block int8,
	-- `queued`: reserved for, not handed over, by nobody. `never`: proved to be gone for good.
	state text not null check (state in
		('queued', 'sending', 'sent', 'doubtful', 'mined', 'reverted', 'never')),
	provider_transaction_id text,
	transaction_hash bytea check (octet_length(transaction_hash) = 32),
	block_number int8,
	block_hash bytea check (octet_length(block_hash) = 32),
	-- The process that sends it: one that is gone answers no more.
	holder text not null,
	session text,
	-- When it was handed over, and until when the wallet provider may still act on that.
	sent_at timestamptz,
	valid_until timestamptz,
	created_at timestamptz not null,
	checked_at timestamptz,
	-- Not looked at before then; null: at once. What was found out sets it to null.
	look_at timestamptz,
	-- Deep enough that nobody looks again.
	final_at timestamptz,
	unique (intent_id, step)
);
--> statement-breakpoint
create index submission_open on wallets.submission (look_at nulls first) where final_at is null;
--> statement-breakpoint
-- One at a time of an account: nothing follows what may or may not have left.
create unique index submission_lane on wallets.submission (chain_id, sender)
	where state in ('sending', 'doubtful');
--> statement-breakpoint
-- A nonce is used by one of ours at most.
create unique index submission_nonce on wallets.submission (chain_id, sender, nonce)
	where nonce is not null and state <> 'never';
--> statement-breakpoint
-- A transaction stands for one intent of whoever sent it. Not for one of all: a stranger who says
-- that it is theirs must not keep its owner from being found.
create unique index submission_hash on wallets.submission (chain_id, sender, transaction_hash)
	where transaction_hash is not null;
--> statement-breakpoint
-- What an intent reserved was spent or released in the end, to the unit. A reorg takes either back
-- (`unspend`, `unrelease`), and what is then open is reserved again.
create table wallets.spend_entry (
	id int8 generated always as identity primary key,
	intent_id uuid not null references wallets.intent (id),
	profile_id uuid not null references wallets.profile (id),
	wallet_id uuid not null references wallets.wallet (id),
	kind text not null check (kind in ('reserve', 'spend', 'release', 'unspend', 'unrelease')),
	chain_id int8 not null,
	currency bytea not null check (octet_length(currency) = 20),
	amount_raw numeric(78) not null check (amount_raw >= 0 and amount_raw <> 'NaN'),
	usd_micros int8 not null check (usd_micros >= 0),
	at timestamptz not null
);
--> statement-breakpoint
create index spend_of_intent on wallets.spend_entry (intent_id);
--> statement-breakpoint
create index spend_of_wallet on wallets.spend_entry (wallet_id, at);
--> statement-breakpoint
create index spend_of_profile on wallets.spend_entry (profile_id, at);
--> statement-breakpoint
-- Where a profile's money may go at once, and since when each was known.
create table wallets.recipient (
	profile_id uuid not null references wallets.profile (id),
	address bytea not null check (octet_length(address) = 20),
	first_seen_at timestamptz not null,
	primary key (profile_id, address)
);
--> statement-breakpoint
-- One-time links: to confirm, or to sign with one's own wallet. Only the token's hash is kept.
create table wallets.link (
	token_hash bytea primary key check (octet_length(token_hash) = 32),
	intent_id uuid not null references wallets.intent (id),
	purpose text not null check (purpose in ('confirm', 'sign')),
	plan_hash bytea not null check (octet_length(plan_hash) = 32),
	created_at timestamptz not null,
	expires_at timestamptz not null,
	used_at timestamptz
);
--> statement-breakpoint
create index link_intent on wallets.link (intent_id);
--> statement-breakpoint
create index link_expiry on wallets.link (expires_at);
--> statement-breakpoint
-- First answers to requests that can move money, kept for ever.
create table wallets.idempotent_answer (
	profile_id uuid not null references wallets.profile (id),
	route text not null,
	key text not null check (length(key) between 1 and 255),
	body_hash bytea not null check (octet_length(body_hash) = 32),
	-- Made in the transaction that took the key.
	intent_ids uuid[] not null,
	-- Null while the first request is under way.
	status int4,
	body bytea,
	holder text not null,
	session text,
	created_at timestamptz not null,
	primary key (profile_id, route, key)
);
