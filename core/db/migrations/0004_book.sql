-- The number of the transaction that writes a row, for tables whose rows go to the audit chain in
-- batches: `default core.book_tx()`. It is PostgreSQL's own number, moved so that it never falls:
-- a database that was restored on another server would begin to count anew (`alignBookClock`).
create function core.book_tx_offset() returns int8 language sql immutable as 'select 0::int8';
--> statement-breakpoint
create function core.book_tx() returns int8 language sql volatile as
	'select pg_current_xact_id()::text::int8 + core.book_tx_offset()';
--> statement-breakpoint
-- How far a book is sealed: all rows whose transaction is below `to_tx` and not in `to_open`, which
-- were still open then.
create table core.audit_book (
	name text primary key,
	batch int8 not null,
	to_tx int8 not null,
	to_open int8[] not null,
	sealed_at timestamptz not null
);
--> statement-breakpoint
-- What a batch covers: key and sha256 of each row, in the order of keys. The batch's audit entry has
-- the sha256 of `leaves`.
create table core.audit_batch (
	book text not null,
	batch int8 not null,
	source text not null,
	leaves bytea not null,
	primary key (book, batch, source)
);
--> statement-breakpoint
-- Hashes do not get smaller by trying.
alter table core.audit_batch alter column leaves set storage external;
