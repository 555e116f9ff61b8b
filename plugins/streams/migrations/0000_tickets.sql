-- One-time tickets of streams that are somebody's own: their hashes, whose they are, until when each
-- opens a stream, and when it did.
create table streams.ticket (
	hash bytea primary key,
	profile_id uuid not null,
	made_at timestamptz not null default now(),
	expires_at timestamptz not null,
	used_at timestamptz
);
--> statement-breakpoint
create index ticket_made on streams.ticket (made_at);
