-- Rows that cannot be read: they stay where they are, and are left out until they can be. A mark is
-- all that stands here; it is deleted once its row can be read again, or is gone.
create table core.quarantined_row (
	-- The table with its schema, such as `wallets.submission`, and the row's key in it as text.
	source text not null,
	key text not null,
	reason text not null check (length(reason) <= 500),
	since timestamptz not null,
	-- When it was last tried to read it; null: nobody was told of it yet.
	checked_at timestamptz,
	primary key (source, key)
);
--> statement-breakpoint
create index quarantined_row_check on core.quarantined_row (checked_at nulls first);
