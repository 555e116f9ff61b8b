-- How far the other chain of a direct bridge was searched for its message.
alter table bridge.bridge add column searched_block int8,
	-- The bridge whose order was deposited for once more, or after it was called off.
	add column deposit_of uuid references bridge.bridge (id);
--> statement-breakpoint
create unique index bridge_deposit_of on bridge.bridge (deposit_of, deposit_hash)
	where deposit_of is not null;
--> statement-breakpoint
-- What was known at each move: both hashes, the provider's words, and who proved it. A row whose
-- statuses are the same is no move: the provider said something else, or somebody proved an end.
alter table bridge.move add column deposit_hash bytea, add column out_hash bytea,
	add column out_chain_id int8, add column provider_status text, add column provider_reason text,
	-- `own_node`, `provider_node`; null: nobody.
	add column proven_by text;
