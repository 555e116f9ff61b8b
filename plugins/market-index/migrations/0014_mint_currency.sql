-- What the last mint was paid in; null for the chain's coin, and where nobody told a price.
alter table market_index.collection add column last_mint_currency bytea;
