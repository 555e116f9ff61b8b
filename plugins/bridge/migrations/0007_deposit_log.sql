-- Which log of its transaction a deposit is: its place among them, which a reorg does not change, as
-- a wallet's batch may have several. Null: the transaction is the deposit's own call, and has one.
alter table bridge.bridge add column deposit_log int4;
--> statement-breakpoint
drop index bridge.bridge_deposit_of;
--> statement-breakpoint
create unique index bridge_deposit_of on bridge.bridge
	(deposit_of, deposit_hash, coalesce(deposit_log, -1)) where deposit_of is not null;
--> statement-breakpoint
-- Each deposit is one bridge's.
create unique index bridge_deposit_log on bridge.bridge
	(deposit_hash, deposit_log, (route->'origin'->>'chainId')) where deposit_log is not null;
