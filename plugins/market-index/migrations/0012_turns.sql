-- Whose turn it is to have a page of its events read is found by an index for each kind of turn, one
-- chain after the other: what is not due is never read, however many collections there are.
drop index market_index.sync_lean;
--> statement-breakpoint
drop index market_index.sync_first_walk;
--> statement-breakpoint
alter table market_index.sync
	-- The kinds of events of which `events_newest` is the newest.
	add column events_newest_types text[],
	-- Turns in a row that brought nothing, as the provider's answer could not be read.
	add column walk_failures int4 not null default 0,
	-- The newest row that a walk under way could not read: it holds what is above that.
	add column walk_hole timestamptz;
--> statement-breakpoint
-- Of which kinds it is the newest is not known.
update market_index.sync set events_newest = null where events_newest is not null;
--> statement-breakpoint
create index sync_first on market_index.sync (chain_id, coalesce(lean_at, '-infinity'))
	where provider_slug is not null and events_until is null;
--> statement-breakpoint
create index sync_walking on market_index.sync (chain_id, coalesce(lean_at, '-infinity'))
	where provider_slug is not null and walk_until is not null;
--> statement-breakpoint
create index sync_held on market_index.sync (chain_id, coalesce(lean_at, '-infinity'))
	where provider_slug is not null and events_until is not null and walk_until is null;
--> statement-breakpoint
create index sync_foreign on market_index.sync (chain_id, coalesce(lean_at, '-infinity'))
	where provider_slug is not null and events_until is not null and walk_until is null
		and foreign_until is not null;
