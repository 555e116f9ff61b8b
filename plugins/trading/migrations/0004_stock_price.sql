-- What a stock token cost by its feed, each quarter of an hour while its market was open. All are kept
-- for 30 days, then the last of each day for two years.
create table trading.stock_price (
	token bytea not null,
	at timestamptz not null,
	-- Microdollars for one whole token.
	micros numeric(39) not null check (micros > 0),
	primary key (token, at)
);
--> statement-breakpoint
create index stock_price_at on trading.stock_price (at);
