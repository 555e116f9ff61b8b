-- Collections that are watched for a reveal, and for whom.
create table reveal_snipe.watch (
	collection_id int4 not null,
	chain_id int8 not null,
	-- `plan`: a plan is armed. `operator`: the deployment's configuration names it.
	reason text not null,
	since timestamptz not null,
	primary key (collection_id, reason)
);
--> statement-breakpoint
-- What the last look at a watched collection saw, so that a restart misses no reveal.
create table reveal_snipe.seen (
	collection_id int4 primary key,
	-- The tokens that are looked at, in order.
	token_ids numeric(78)[] not null,
	-- SHA-256 of their URIs, and of what their documents show.
	uri_digest bytea,
	content_digest bytea,
	-- `hidden`, `shown` or `unclear`; null before the first look.
	reading text,
	-- Traits that all of them had while they were hidden.
	hidden_traits jsonb
);
--> statement-breakpoint
-- Reveals that were noticed, each with the reading of all tokens that follows.
create table reveal_snipe.detection (
	id int8 generated always as identity primary key,
	collection_id int4 not null,
	chain_id int8 not null,
	-- What made us look: `metadata_event`, `log`, `block` or `poll`; and what was seen then:
	-- `uri_hash` or `traits`.
	signal text not null,
	evidence text not null,
	block_number int8,
	block_at timestamptz,
	heard_at timestamptz not null,
	detected_at timestamptz not null,
	-- From the block's time, which most chains tell in whole seconds, to the detection.
	delay_ms int8,
	content_digest bytea not null,
	hidden_traits jsonb,
	-- What is done next: see `detection/nextSteps.ts`.
	step text not null default 'queued',
	began_at timestamptz,
	ended_at timestamptz,
	outcome text,
	runs int4 not null default 0,
	tokens int4 not null default 0,
	read int4 not null default 0,
	failed int4 not null default 0,
	swapped int4 not null default 0
) with (fillfactor = 75);
--> statement-breakpoint
create unique index detection_open on reveal_snipe.detection (collection_id) where ended_at is null;
--> statement-breakpoint
create index detection_of on reveal_snipe.detection (collection_id, id desc);
--> statement-breakpoint
create index detection_ended on reveal_snipe.detection (ended_at) where ended_at is not null;
