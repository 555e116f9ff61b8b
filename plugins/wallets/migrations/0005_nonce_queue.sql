-- What a transaction is for. `pay`: what was planned. `cancel`: nothing, sent by the wallet to itself
-- under the nonce of a payment that must not be mined any more. `fill`: the same under a lower nonce
-- that nothing uses, so that what stands above it can be mined.
create domain wallets.submission_purpose as text check (value in ('pay', 'cancel', 'fill'));
--> statement-breakpoint
alter table wallets.submission
	add column purpose wallets.submission_purpose not null default 'pay';
--> statement-breakpoint
-- `refused`: the wallet provider said no and named a hash, so signed bytes exist, and no node knows
-- them. Its nonce is free for others until a node does.
do $$
declare rule text;
begin
	-- The server named it.
	for rule in select conname from pg_constraint
		where contypid = 'wallets.submission_state'::regtype and contype = 'c'
	loop
		execute format('alter domain wallets.submission_state drop constraint %I', rule);
	end loop;
end $$;
--> statement-breakpoint
alter domain wallets.submission_state add constraint submission_state_known check (value in (
	'queued', 'sending', 'sent', 'doubtful', 'dropped', 'refused', 'mined', 'reverted', 'never'));
--> statement-breakpoint
alter table wallets.submission drop constraint submission_intent_id_step_key;
--> statement-breakpoint
-- Never two payments for one step.
create unique index submission_step on wallets.submission (intent_id, step) where purpose = 'pay';
--> statement-breakpoint
-- Of one nonce of an intent one cancellation is under way at a time.
create unique index submission_own_use on wallets.submission (intent_id, nonce)
	where purpose <> 'pay' and state in ('queued', 'sending');
--> statement-breakpoint
create index submission_of_intent on wallets.submission (intent_id) where purpose <> 'pay';
--> statement-breakpoint
-- One at a time of an account is handed over. What is in doubt is no part of this: it may be found
-- to be in doubt while another is handed over.
drop index wallets.submission_lane;
--> statement-breakpoint
create unique index submission_sending on wallets.submission (chain_id, sender)
	where state = 'sending';
--> statement-breakpoint
drop index wallets.submission_dropped;
--> statement-breakpoint
create index submission_queued on wallets.submission (chain_id, sender) where state = 'queued';
--> statement-breakpoint
-- The nonces that an account's transactions hold. Not unique: a payment and its cancellation have
-- one nonce, and a nonce that was refused once is used again.
drop index wallets.submission_nonce;
--> statement-breakpoint
create index submission_nonce on wallets.submission (chain_id, sender, nonce)
	where nonce is not null and state not in ('queued', 'never', 'refused');
--> statement-breakpoint
-- The chain's head when it was planned: a receipt of long before then is none of its transaction.
alter table wallets.intent add column planned_block int8;
