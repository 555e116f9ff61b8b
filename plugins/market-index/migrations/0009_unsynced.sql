-- Whoever waits for a first sync goes before refreshes, also where its slug is known already.
drop index market_index.sync_unknown;
--> statement-breakpoint
create index sync_unsynced on market_index.sync (collection_id) where synced_at is null;
