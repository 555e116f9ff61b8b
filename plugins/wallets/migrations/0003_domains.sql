-- A type's rule is prepared once for a connection; a column's is read and prepared anew by each
-- statement that writes to its table, whatever it writes: measured, that was half of an insert.
create domain wallets.word as bytea check (octet_length(value) = 32);
--> statement-breakpoint
create domain wallets.account as bytea check (octet_length(value) = 20);
--> statement-breakpoint
create domain wallets.units as numeric(78) check (value >= 0 and value <> 'NaN');
--> statement-breakpoint
create domain wallets.microdollars as int8 check (value >= 0);
--> statement-breakpoint
create domain wallets.channel as text check (value in ('api', 'social', 'snipe', 'agent', 'job'));
--> statement-breakpoint
create domain wallets.submission_state as text check (value in
	('queued', 'sending', 'sent', 'doubtful', 'dropped', 'mined', 'reverted', 'never'));
--> statement-breakpoint
create domain wallets.spend_kind as text check (value in
	('reserve', 'spend', 'release', 'unspend', 'unrelease'));
--> statement-breakpoint
create domain wallets.idempotency_key as text check (length(value) between 1 and 255);
--> statement-breakpoint
alter table wallets.intent
	drop constraint intent_channel_check, drop constraint intent_plan_hash_check,
	alter column channel type wallets.channel, alter column plan_hash type wallets.word;
--> statement-breakpoint
alter table wallets.submission
	drop constraint submission_state_check, drop constraint submission_sender_check,
	drop constraint submission_transaction_hash_check, drop constraint submission_block_hash_check,
	alter column state type wallets.submission_state, alter column sender type wallets.account,
	alter column transaction_hash type wallets.word, alter column block_hash type wallets.word;
--> statement-breakpoint
alter table wallets.spend_entry
	drop constraint spend_entry_kind_check, drop constraint spend_entry_currency_check,
	drop constraint spend_entry_amount_raw_check, drop constraint spend_entry_usd_micros_check,
	alter column kind type wallets.spend_kind, alter column currency type wallets.account,
	alter column amount_raw type wallets.units, alter column usd_micros type wallets.microdollars;
--> statement-breakpoint
alter table wallets.idempotent_answer
	drop constraint idempotent_answer_key_check, drop constraint idempotent_answer_body_hash_check,
	alter column key type wallets.idempotency_key, alter column body_hash type wallets.word;
--> statement-breakpoint
-- Whose an entry is, and which wallet sends, is the intent's, whose row has both: each writer copies
-- them from there, in the statement that names it.
alter table wallets.spend_entry
	drop constraint spend_entry_profile_id_fkey, drop constraint spend_entry_wallet_id_fkey;
