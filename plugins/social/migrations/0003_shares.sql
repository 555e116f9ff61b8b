-- The post that began the conversation, for the limit of replies in one.
alter table social.event add column conversation_id text;
--> statement-breakpoint
create index event_conversation on social.event (conversation_id, received_at)
	where conversation_id is not null;
--> statement-breakpoint
-- Links and money go first (2), then linked authors (1), then everybody (0).
alter table social.reply add column weight int2 not null default 0;
--> statement-breakpoint
-- A post that says whether the rest was sent by direct message: it waits until that is known.
alter table social.reply add column tells_dm boolean not null default false;
--> statement-breakpoint
-- `body` is the very text that X gets: no retry makes another one.
alter table social.reply add column is_rendered boolean not null default false;
--> statement-breakpoint
create index reply_author on social.reply (author_id, via, changed_at);
