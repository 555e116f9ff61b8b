-- Until when plans buy from a book, or are about to: it is read before all others. And until when its
-- pushes are wanted although nobody reads it.
alter table market_index.sync
	add column urgent_until timestamptz,
	add column followed_until timestamptz;
