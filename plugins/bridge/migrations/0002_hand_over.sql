-- What is signed in place of transactions, in order; see `quote/authorizations.ts`.
alter table bridge.quote add column authorizations jsonb not null default '[]';
--> statement-breakpoint
-- A signature's nonce is one bridge's: by it the token says whether its money was taken.
create index quote_nonce on bridge.quote ((authorizations->0->>'nonce'))
	where authorizations <> '[]';
--> statement-breakpoint
-- A signature that is handed to the provider: it can move money, so it is recorded before, and looked
-- up after a doubt. None is handed over twice.
create table bridge.hand_over (
	bridge_id uuid not null references bridge.bridge (id),
	step int4 not null,
	-- The intent that signs.
	intent_id uuid not null unique,
	-- What is signed, where the provider asked for it only later; null: it stands in the quote.
	asked jsonb,
	-- `ready`: not handed over. `handed`: somebody does so, or died doing it. Then `taken`, `refused`,
	-- or `doubtful`, by what was answered: the chain says what came of each.
	state text not null,
	-- What was answered, in few words.
	detail text,
	created_at timestamptz not null,
	handed_at timestamptz,
	primary key (bridge_id, step)
);
