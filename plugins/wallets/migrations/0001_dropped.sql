-- `dropped`: it left, its hash is known, and no node knows it any more. It holds its account's lane
-- up as one in doubt does, and unlike those several of an account can be dropped at once.
alter table wallets.submission drop constraint submission_state_check;
--> statement-breakpoint
alter table wallets.submission add constraint submission_state_check check (state in
	('queued', 'sending', 'sent', 'doubtful', 'dropped', 'mined', 'reverted', 'never'));
--> statement-breakpoint
-- When a node last knew it, and with which nonce: its owner's own wallet chooses one unasked. The
-- bytes as they were signed, once a node showed them: those alone may be broadcast again.
alter table wallets.submission
	add column seen_at timestamptz,
	add column seen_nonce int8,
	add column signed bytea;
--> statement-breakpoint
create index submission_dropped on wallets.submission (chain_id, sender) where state = 'dropped';
--> statement-breakpoint
-- What somebody without a wallet asked for is kept as well, and never sent.
alter table wallets.intent alter column wallet_id drop not null;
--> statement-breakpoint
alter table wallets.intent add constraint intent_wallet
	check (wallet_id is not null or status in ('created', 'rejected', 'expired'));
