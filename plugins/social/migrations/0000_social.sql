-- What people wrote to the bot, each once by its id, and what became of it. See states/socialStates.ts.
create table social.event (
	-- `post:<id of the post's first version>` or `dm:<id>`.
	id text primary key,
	via text not null check (via in ('post', 'dm')),
	-- The post to answer.
	source_id text not null,
	author_id text not null,
	-- What its author typed, without the bot's name.
	text text not null,
	written_at timestamptz not null,
	received_at timestamptz not null,
	state text not null,
	-- Why it was ignored or dropped.
	reason text,
	-- How often work on it began: the newest beginning is the one that may end it.
	attempts int2 not null default 0,
	held_until timestamptz,
	changed_at timestamptz not null
) with (fillfactor = 80);
--> statement-breakpoint
create index event_open on social.event (received_at) where state in ('received', 'thinking');
--> statement-breakpoint
create index event_author on social.event (author_id, received_at);
--> statement-breakpoint
create index event_age on social.event (received_at);
--> statement-breakpoint
-- What is said to somebody: at most one post and one direct message for each event.
create table social.reply (
	event_id text not null references social.event (id) on delete cascade,
	via text not null check (via in ('post', 'dm')),
	-- The post that is answered, or the account that is written to.
	to_id text not null,
	author_id text not null,
	-- Sealed where it is private; null once nothing is left to do with it.
	body text,
	state text not null,
	reason text,
	-- X's id of what was sent.
	sent_id text,
	due_at timestamptz not null,
	-- After that it is not sent any more.
	good_until timestamptz not null,
	attempts int2 not null default 0,
	created_at timestamptz not null,
	changed_at timestamptz not null,
	primary key (event_id, via)
) with (fillfactor = 80);
--> statement-breakpoint
create index reply_open on social.reply (due_at) where state in ('ready', 'sending', 'uncertain');
--> statement-breakpoint
create index reply_held on social.reply (author_id) where state = 'held';
--> statement-breakpoint
create index reply_sent on social.reply (sent_id) where sent_id is not null;
--> statement-breakpoint
-- Who wrote to the bot by direct message, and who wants to hear nothing.
create table social.contact (
	user_id text primary key,
	dm_at timestamptz,
	stopped_at timestamptz,
	-- When what they said of stopping was written: an older word does not undo a newer one.
	said_at timestamptz
);
--> statement-breakpoint
-- The bot account's own tokens, sealed. One row.
create table social.token (
	id int2 primary key check (id = 1),
	sealed bytea not null,
	good_until timestamptz not null,
	-- Digest of the refresh token in the environment that this began with.
	seed bytea not null,
	changed_at timestamptz not null
);
--> statement-breakpoint
-- How far polling has read.
create table social.position (
	name text primary key,
	newest_id text not null,
	changed_at timestamptz not null
);
--> statement-breakpoint
-- What was read in each month: posts, messages and accounts, as X bills them.
create table social.read_month (
	month date primary key,
	reads int8 not null
);
--> statement-breakpoint
-- Commands that move something, of authors that no profile is linked to.
create table social.unlinked_trade (
	event_id text primary key,
	author_id text not null,
	command text not null,
	reason text not null,
	at timestamptz not null
);
--> statement-breakpoint
create index unlinked_trade_at on social.unlinked_trade (at desc, event_id);
--> statement-breakpoint
create index unlinked_trade_author on social.unlinked_trade (author_id, at);
--> statement-breakpoint
-- Posts that nobody asked for: one for each span of time, and none twice.
create table social.radar_post (
	slot int8 primary key,
	digest bytea not null unique,
	state text not null,
	post_id text,
	at timestamptz not null
);
