-- How far the moves of intents were told to the streams of their owners: those of all transactions
-- below `to_tx` that are not in `to_open`. It begins now: what was before is in lists.
create table wallets.told (
	one boolean primary key default true check (one),
	to_tx int8 not null,
	to_open int8[] not null
);
--> statement-breakpoint
insert into wallets.told (to_tx, to_open) select pg_snapshot_xmax(pg_current_snapshot())::text::int8
	+ core.book_tx_offset(), '{}';
