-- When reading all tokens again began; null while nobody does. Counting and ranking by the clock
-- wait meanwhile: they would be of a part.
alter table market_index.collection add column reread_since timestamptz;
--> statement-breakpoint
-- When the part of reading began that last asked for a token, whatever came of it.
alter table market_index.token add column tried_at timestamptz;
