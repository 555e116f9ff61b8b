-- Lists in the order of what batches change, and still no index that batches write to: each of
-- these columns is a coarse step of the one it is made from, and an update that stays within a step
-- is HOT. A list reads the steps by index, and sorts only within the last one.
alter table market_index.collection
	add column last_mint_hour timestamptz generated always as (
		date_bin(interval '1 hour', last_mint_at, timestamptz '1970-01-01 00:00:00+00')
	) stored,
	add column last_sale_hour timestamptz generated always as (
		date_bin(interval '1 hour', last_sale_at, timestamptz '1970-01-01 00:00:00+00')
	) stored,
	-- Number of digits, and the first one: 3 times 10^18 is 193.
	add column volume_class int4 generated always as (
		length(volume_native::text) * 10 + left(volume_native::text, 1)::int4
	) stored;
--> statement-breakpoint
create index collection_last_mint
	on market_index.collection (chain_id, last_mint_hour desc nulls last);
--> statement-breakpoint
create index collection_last_sale
	on market_index.collection (chain_id, last_sale_hour desc nulls last);
--> statement-breakpoint
create index collection_volume on market_index.collection (chain_id, volume_class desc);
