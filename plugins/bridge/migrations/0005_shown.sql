-- How many looks in a row nobody answered: who is not answered about waits longer each time.
alter table bridge.bridge add column unanswered int4 not null default 0,
	-- What an operator accepted as the end, as it was shown to them: its end, chain, currency, sum.
	add column accepted jsonb,
	-- All transactions of what arrived; `out_hash` is the last of them. Null: that one alone.
	add column out_hashes jsonb;
--> statement-breakpoint
alter table bridge.move add column out_hashes jsonb;
--> statement-breakpoint
-- An order is one quote's. Of older quotes that share one only the first counts.
alter table bridge.quote add column is_sole boolean not null default true;
--> statement-breakpoint
update bridge.quote as q set is_sole = false where exists (
	select from bridge.quote as other where other.order_id = q.order_id
		and (other.created_at, other.bridge_id, other.seq) < (q.created_at, q.bridge_id, q.seq)
);
--> statement-breakpoint
create unique index quote_order on bridge.quote (order_id) where is_sole;
