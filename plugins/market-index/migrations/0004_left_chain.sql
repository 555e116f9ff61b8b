-- When the block of an event left the chain that the provider had told too. One that the chain does
-- not tell again in another block did not happen.
alter table market_index.unconfirmed add column left_chain_at timestamptz;
--> statement-breakpoint
create index unconfirmed_left on market_index.unconfirmed (chain_id, left_chain_at)
	where left_chain_at is not null;
--> statement-breakpoint
-- Orders whose time is over are looked for each minute.
create index market_order_expiry on market_index.market_order (expires_at)
	where is_active and expires_at is not null;
