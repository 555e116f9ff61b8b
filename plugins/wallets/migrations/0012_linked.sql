-- The step that an intent waits for: while it is `waiting`, and after that as what came before it.
alter table wallets.intent add column after_id uuid references wallets.intent (id);
--> statement-breakpoint
create index intent_after on wallets.intent (after_id) where after_id is not null;
--> statement-breakpoint
-- What its owner said yes to, and what an operator said yes to. Neither stands for the other.
alter table wallets.intent add column confirmed_plan jsonb, add column reviewed_plan jsonb;
--> statement-breakpoint
-- Until now a plan that stood with a created intent was one that its owner had said yes to.
update wallets.intent set confirmed_plan = plan where status = 'created' and plan is not null;
--> statement-breakpoint
create index intent_waiting on wallets.intent (changed_at) where status = 'waiting';
--> statement-breakpoint
drop index wallets.intent_open;
--> statement-breakpoint
create index intent_open on wallets.intent (changed_at)
	where status in ('created', 'submitting', 'submitted', 'uncertain', 'confirmation_required',
		'review_required', 'signature_required', 'waiting');
