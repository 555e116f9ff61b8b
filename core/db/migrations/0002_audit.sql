-- The log that nobody can rewrite unnoticed. `entry` is the text that was hashed, byte for byte:
-- hash = sha256(prev_hash || entry). Numbers have no gap, so they are no identity (a rollback leaves
-- one there); the first entry follows 32 zero bytes. Look into it with `entry::jsonb`.
create table core.audit_entry (
	seq int8 primary key check (seq > 0),
	-- Unique: nothing has two successors, even if somebody writes past the lock.
	prev_hash bytea not null unique check (octet_length(prev_hash) = 32),
	entry text not null check (octet_length(entry) <= 8192),
	hash bytea not null unique check (octet_length(hash) = 32)
);
--> statement-breakpoint
create function core.refuse_change() returns trigger language plpgsql as $$
begin
	raise exception '%.% is append-only', tg_table_schema, tg_table_name
		using errcode = 'restrict_violation';
end
$$;
--> statement-breakpoint
-- Against mistakes. Whoever may switch it off is found by the hashes.
create trigger append_only before update or delete or truncate on core.audit_entry
	for each statement execute function core.refuse_change();
