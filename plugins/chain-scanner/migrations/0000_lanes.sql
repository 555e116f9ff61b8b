-- How far each lane has come. Committed with the rows it stands for.
create table chain_scanner.cursor (
	chain_id int8 not null,
	lane text not null,
	block_number int8 not null,
	block_hash bytea not null,
	head_block int8 not null,
	indexed_at timestamptz not null,
	primary key (chain_id, lane)
) with (fillfactor = 50);
--> statement-breakpoint
-- Spans that a lane left out. Nothing is skipped without a row here; backfill drains them.
create table chain_scanner.gap (
	id int8 generated always as identity primary key,
	chain_id int8 not null,
	lane text not null,
	from_block int8 not null,
	to_block int8 not null,
	reason text not null,
	created_at timestamptz not null default now(),
	check (from_block <= to_block)
);
--> statement-breakpoint
create index gap_newest on chain_scanner.gap (chain_id, lane, to_block desc);
