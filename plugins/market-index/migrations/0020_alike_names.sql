-- What the provider says of who a collection is, in its own words: `verified` where it vouches for the
-- name. Null where it was never asked, or told nothing.
alter table market_index.collection add column safelist_status text;
--> statement-breakpoint
-- A name without what stands between its letters, and without its article, as it is typed in one
-- word: `kilnfolk`. It finds what a misspelled name may mean, which is only ever asked about.
create index collection_letters on market_index.collection (
	regexp_replace(translate(lower(name), ' -_.&''’!:', ''), '^the', ''), id
) where not excluded;
