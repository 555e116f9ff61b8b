-- Plans that buy by themselves once a collection is revealed. Amounts in base units of the chain's
-- coin. What a plan has spent is not here: it is what the spend ledger holds for its fills.
create table reveal_snipe.plan (
	id uuid primary key,
	profile_id uuid not null,
	wallet_id uuid not null,
	collection_id int4 not null,
	chain_id int8 not null,
	contract bytea not null,
	max_rank int4,
	-- [{ "type", "values": [] }], as its owner wrote them; empty: any traits.
	traits jsonb not null,
	max_price_raw numeric(78) not null,
	budget_raw numeric(78) not null,
	max_items int4 not null,
	-- See `states/planStates.ts`.
	status text not null,
	pause_reason text,
	failure_code text,
	-- Wallet and profile as they were when it was armed.
	canonical_wallet_id uuid,
	profile_revision int8 not null,
	wallet_revision int8 not null,
	created_at timestamptz not null,
	changed_at timestamptz not null,
	expires_at timestamptz not null,
	-- After a reveal: when it is evaluated next, and until when it is evaluated at all.
	due_at timestamptz,
	due_until timestamptz,
	-- Who evaluates it, and until when that is believed. The token grows with each holder.
	evaluation_token int8 not null default 0,
	evaluation_session text,
	evaluation_until timestamptz,
	constraint plan_terms check (max_price_raw > 0 and budget_raw >= max_price_raw
		and max_items > 0 and (max_rank is not null or traits <> '[]'))
) with (fillfactor = 75);
--> statement-breakpoint
create index plan_of_profile on reveal_snipe.plan (profile_id, id desc);
--> statement-breakpoint
create index plan_open on reveal_snipe.plan (collection_id) where status in ('armed', 'paused');
--> statement-breakpoint
create index plan_due on reveal_snipe.plan (due_at)
	where due_at is not null and status in ('armed', 'paused');
--> statement-breakpoint
-- Tokens that plans bought or tried to buy. Each attempt is an intent; the newest one is here, and
-- those before it stay named: what the chain takes back of them counts again.
create table reveal_snipe.fill (
	plan_id uuid not null references reveal_snipe.plan (id),
	token_id numeric(78) not null,
	intent_id uuid not null unique,
	past_intent_ids uuid[] not null default '{}',
	order_hash bytea not null,
	rank int4,
	-- The most that the newest intent may spend.
	price_raw numeric(78) not null,
	created_at timestamptz not null,
	primary key (plan_id, token_id)
) with (fillfactor = 75);
--> statement-breakpoint
-- What was for sale when a reveal was ranked, for dry runs. One row for a reveal, kept for 30 days.
create table reveal_snipe.kept_book (
	detection_id int8 primary key,
	collection_id int4 not null,
	taken_at timestamptz not null,
	-- As the index had them, amounts as decimal text; the rarest first.
	listings jsonb not null
);
--> statement-breakpoint
create index kept_book_of on reveal_snipe.kept_book (collection_id, detection_id desc);
--> statement-breakpoint
create index kept_book_taken on reveal_snipe.kept_book (taken_at);
