-- What an account did, by who gave a token and by who got it. Four bytes of the address, the kind
-- and the time are as long as what the index by collection has, and rows are compared with the whole
-- address: the address itself makes an entry half as long again. A mint has no giver.
create index event_by_giver on market_index.event (hashbytea(from_address), kind, occurred_at)
	where kind <> 2;
--> statement-breakpoint
create index event_by_taker on market_index.event (hashbytea(to_address), kind, occurred_at);
--> statement-breakpoint
-- What an account holds, collection by collection. The address is whole here: rows are read in this
-- order, and no stranger may put theirs between.
create index owned_span_owner on market_index.owned_span (owner, set_id, from_id);
--> statement-breakpoint
create index owned_units_owner on market_index.owned_units (owner, set_id, token_id);
