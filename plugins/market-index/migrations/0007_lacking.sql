-- When a collection's tokens were first looked for. What is null here or in `metadata_at` lacks a job
-- that its registration should have put in line; both are written once, so that the index costs no
-- update.
alter table market_index.collection add column learned_at timestamptz;
--> statement-breakpoint
create index collection_lacking on market_index.collection (id)
	where metadata_at is null or learned_at is null;
--> statement-breakpoint
-- A row of the provider's lists is looked for by its slug on whatever chain, so the slug goes first.
drop index market_index.sync_slug;
--> statement-breakpoint
create unique index sync_slug on market_index.sync (provider_slug, chain_id)
	where provider_slug is not null;
