-- Spans that an operator asked for, until all of what they hold is in the index: the same command
-- started again goes on with what is left, and does not begin anew.
create table chain_scanner.backfill_request (
	chain_id int8 not null,
	lane text not null,
	from_block int8 not null,
	to_block int8 not null,
	requested_at timestamptz not null default now(),
	primary key (chain_id, lane, from_block, to_block),
	check (from_block <= to_block)
);
