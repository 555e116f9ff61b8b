-- The times that figures stand for which are told and not counted: each was stored under the time of
-- something else that was told with it, or under none.
alter table market_index.collection
	add column provider_owners_at timestamptz,
	add column provider_supply_at timestamptz,
	add column supply_at timestamptz,
	add column listed_at timestamptz,
	-- Sales in the day before `provider_stats_at`, as the provider's stats count them.
	add column provider_sales_day int8;
--> statement-breakpoint
update market_index.collection set
	provider_owners_at = case when provider_owners > 0 then provider_stats_at end,
	provider_supply_at = case when provider_supply is not null then last_provider_at end,
	supply_at = case when total_supply is not null then metadata_at end,
	listed_at = case when listed_count is not null then last_provider_at end
where last_provider_at is not null or metadata_at is not null or provider_stats_at is not null;
