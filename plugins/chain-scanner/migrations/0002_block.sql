-- Which blocks the index stands on: all of those that may still leave the chain, and the newest one
-- below them. Lanes write them with their rows; whatever does not fit on them is another fork.
create table chain_scanner.block (
	chain_id int8 not null,
	number int8 not null,
	hash bytea not null,
	-- Null where only the block itself was heard of.
	parent_hash bytea,
	-- True where it lay below the reach of reorgs when it was read.
	settled boolean not null,
	primary key (chain_id, number)
) with (fillfactor = 90);
