-- Orders that somebody's text began, or took back: each end is told once. See socialStates.ts.
create table social.followed_order (
	order_id text primary key,
	event_id text not null references social.event (id) on delete cascade,
	-- The tool that reads it again.
	tool text not null,
	-- Whose it is: nobody else hears of it.
	profile_id text not null,
	state text not null,
	due_at timestamptz not null,
	created_at timestamptz not null,
	changed_at timestamptz not null
) with (fillfactor = 80);
--> statement-breakpoint
create index followed_order_open on social.followed_order (due_at) where state = 'open';
--> statement-breakpoint
create index followed_order_event on social.followed_order (event_id);
--> statement-breakpoint
-- Beside the answer to a text, one notice of how its order ended.
alter table social.reply add column part text not null default 'answer'
	check (part in ('answer', 'notice'));
--> statement-breakpoint
alter table social.reply drop constraint reply_pkey;
--> statement-breakpoint
alter table social.reply add primary key (event_id, part, via);
--> statement-breakpoint
-- The very text that X gets. `body` stays the draft: what X certainly never heard is told anew.
alter table social.reply add column said text;
--> statement-breakpoint
update social.reply set said = body where is_rendered;
