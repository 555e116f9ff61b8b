-- Since when and until when a lane holds everything, by the times of blocks: what was counted of it
-- says by this how much of its window it is. A lane that was there before begins to say so now.
alter table chain_scanner.cursor
	-- The first block that the lane read, or the lowest that a backfill has added below without a
	-- hole, and its time; the epoch where that is the chain's first block.
	add column first_block int8,
	add column since_at timestamptz,
	-- The time of the block at the cursor, or of one shortly below it.
	add column until_at timestamptz;
--> statement-breakpoint
update chain_scanner.cursor set first_block = block_number, since_at = now();
--> statement-breakpoint
-- The time of the block above the span, or of one later: from there on nothing is missing. Null
-- where the span was read before and is read again.
alter table chain_scanner.gap add column above_at timestamptz;
--> statement-breakpoint
update chain_scanner.gap set above_at = now();
