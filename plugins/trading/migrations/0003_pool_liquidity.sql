-- The least liquidity that a pool had at the readings of a minute: a price at which it offered
-- hardly anything costs nothing to make. Null: read before this was recorded. A reading without
-- liquidity adds no price, so a minute may have no samples.
alter table trading.pool_price add column liquidity numeric(39);
