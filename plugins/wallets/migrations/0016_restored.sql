-- Times of which this database knows nothing: from its last sign of life to the start of a process.
-- A backup that was put back begins with one, and what was sent in it is on no record.
create table wallets.blackout (
	id int8 generated always as identity primary key,
	since timestamptz not null,
	-- It was long, or the operator said that a backup was put back.
	is_restored boolean not null,
	found_at timestamptz not null default now()
);
--> statement-breakpoint
-- How far an account's own transactions were read, and how many of them there are by then. `at`:
-- when nothing was left to read; null where a reading was cut short and goes on.
create table wallets.account_read (
	chain_id int8 not null,
	sender wallets.account not null,
	block int8 not null,
	count int8 not null,
	at timestamptz,
	primary key (chain_id, sender)
);
--> statement-breakpoint
-- What accounts sent that our records do not explain. An intent that is like one of these waits for
-- its owner's word.
create table wallets.stray (
	chain_id int8 not null,
	sender wallets.account not null,
	hash wallets.word not null,
	nonce int8 not null,
	-- What it called or paid; null: it made a contract.
	recipient wallets.account,
	value_raw wallets.units not null,
	selector bytea not null check (octet_length(selector) <= 4),
	data_hash wallets.word not null,
	-- In which block it is at the latest.
	block int8 not null,
	-- Its owner said that it was none of ours.
	is_answered boolean not null default false,
	at timestamptz not null default now(),
	primary key (chain_id, sender, hash)
);
--> statement-breakpoint
-- The transaction that an intent's owner was asked about: whether it was this payment already. Zeros:
-- what the wallet sent could not be read.
alter table wallets.intent add column looks_paid wallets.word;
