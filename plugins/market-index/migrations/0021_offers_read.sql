-- When the provider's offers were last read to their end, as `orders_at` says it of listings: one
-- side may be read and the other not. Null until then, also where a book was read before this.
alter table market_index.sync add column offers_at timestamptz;
