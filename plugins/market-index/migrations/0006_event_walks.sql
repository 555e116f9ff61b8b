-- How far the provider's list of a collection's events has been read, newest first. All that the list
-- told between `events_from` and `events_until` is held. A walk under way reads what lies between
-- `walk_from` and `walk_until`, has come down to `walk_reached`, and goes on at `walk_cursor`, or by
-- time where that is null.
alter table market_index.sync
	add column events_from timestamptz,
	-- The newest event that the list told: a list without it has gone back in time.
	add column events_newest timestamptz,
	-- What `events_until` was when the walk began: a gap that is told meanwhile sets that back.
	add column walk_base timestamptz,
	add column walk_from timestamptz,
	add column walk_until timestamptz,
	add column walk_reached timestamptz,
	add column walk_cursor text,
	-- The kinds of events that the cursor belongs to.
	add column walk_types text[],
	add column walk_pages int4 not null default 0,
	-- Pages in a row that brought the walk no further.
	add column walk_idle int4 not null default 0,
	-- Counts who was given the walk; only the last one may move it, and nobody else until then.
	add column turn int4 not null default 0,
	add column turn_until timestamptz,
	-- Sales that only the provider tells were found while the chain was read: asked for until then.
	add column foreign_until timestamptz,
	-- What a full sync that did not end yet was told, each part with when it was asked for.
	add column parts jsonb;
--> statement-breakpoint
-- What was read before is not known to be whole: a walk of a day begins anew.
update market_index.sync set events_until = null where events_until is not null;
--> statement-breakpoint
create index sync_first_walk on market_index.sync (lean_at nulls first)
	where provider_slug is not null and events_until is null;
--> statement-breakpoint
create index sync_unknown on market_index.sync (collection_id)
	where provider_slug is null and synced_at is null;
--> statement-breakpoint
-- Between these two times the lanes of a chain left nothing out, and were level with its head.
create table market_index.chain_span (
	chain_id int8 primary key,
	level_from timestamptz not null,
	level_until timestamptz not null
) with (fillfactor = 50);
--> statement-breakpoint
create index unconfirmed_sale on market_index.unconfirmed (collection_id, occurred_at)
	where kind = 0;
