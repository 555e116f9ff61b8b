-- A reading of an order book that a limit interrupted: when it began, and where each side goes on.
alter table market_index.sync add column book_progress jsonb;
