-- Fingerprints of the sampled tokens, in place of one digest of all of them. What was seen before is
-- compared with what the index stored of these tokens.
truncate reveal_snipe.seen;
--> statement-breakpoint
alter table reveal_snipe.seen
	drop column uri_digest,
	drop column content_digest,
	-- What they showed before a reveal, when the newest one was noticed (null before it), and in the
	-- last look.
	add column baseline jsonb not null,
	add column shown jsonb,
	add column latest jsonb not null;
