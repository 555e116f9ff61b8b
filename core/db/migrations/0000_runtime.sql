-- Who runs a piece of work now. The token grows at each takeover; a writer proves it still holds
-- the newest one inside its transaction. Rewritten every few seconds: half of each page is spare.
create table core.lease (
	name text primary key,
	holder text not null,
	token int8 not null,
	expires_at timestamptz not null
) with (fillfactor = 50);
--> statement-breakpoint
-- The last tick of each schedule that some process has claimed.
create table core.schedule_tick (
	name text primary key,
	tick_at timestamptz not null
) with (fillfactor = 50);
--> statement-breakpoint
-- The highest sequence number of each topic. Bumped as the last step of a transaction, so its row
-- lock makes numbers follow commits: no gap, no overtaking.
create table core.stream_head (
	topic text primary key,
	seq int8 not null
) with (fillfactor = 70);
--> statement-breakpoint
-- The log of everything published. One row for each transaction and topic (one for each frame
-- halved the write speed); `frames` is a JSON array of `{ type, data }`.
create table core.stream_frame (
	topic text not null,
	seq_first int8 not null,
	seq_last int8 not null,
	at timestamptz not null,
	frames text not null,
	primary key (topic, seq_last)
);
--> statement-breakpoint
create index stream_frame_at on core.stream_frame using brin (at) with (pages_per_range = 16);
--> statement-breakpoint
create table core.stream_epoch (
	the_only boolean primary key default true check (the_only),
	epoch text not null
);
--> statement-breakpoint
insert into core.stream_epoch (epoch) values (gen_random_uuid()::text);
--> statement-breakpoint
-- Which queue workers live. One that stops beating is dead, and its jobs are given free: the queue
-- itself would keep them for four hours.
create table core.worker_heartbeat (
	worker_id text primary key,
	beat_at timestamptz not null
) with (fillfactor = 50);
