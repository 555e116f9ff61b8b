-- Why an order ended: 1 its time was over, 2 bought, 3 the provider told that it was cancelled or
-- cannot be filled, 4 it is no longer in the provider's book, and nobody says why. Null while it is
-- active, and where it ended before this was kept.
alter table market_index.market_order add column retired_as int2;
--> statement-breakpoint
-- Orders by when they began and when they ended, of a collection and of all: what was listed,
-- offered and cancelled, newest first.
create index market_order_begun on market_index.market_order (collection_id, starts_at)
	where starts_at is not null;
--> statement-breakpoint
create index market_order_begun_anywhere on market_index.market_order (starts_at)
	where starts_at is not null;
--> statement-breakpoint
create index market_order_ended on market_index.market_order (collection_id, retired_at)
	where not is_active;
