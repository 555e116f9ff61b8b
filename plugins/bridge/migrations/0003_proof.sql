-- What arrived, payment by payment: each is one bridge's, whether it filled it or came back.
create table bridge.arrival (
	bridge_id uuid not null references bridge.bridge (id),
	chain_id int8 not null,
	transaction_hash bytea not null,
	-- Of a token's transfer; -1: the transaction's own coin; -2: a part of what the party's coin grew
	-- by in its block, of which several bridges may have a part each.
	log_index int4 not null,
	block_number int8 not null,
	party bytea not null,
	currency bytea not null,
	raw numeric(78) not null check (raw > 0),
	at timestamptz not null,
	primary key (chain_id, transaction_hash, log_index, party, bridge_id)
);
--> statement-breakpoint
create unique index arrival_once on bridge.arrival (chain_id, transaction_hash, log_index)
	where log_index >= -1;
--> statement-breakpoint
create index arrival_in_block on bridge.arrival (chain_id, block_number, party)
	where log_index = -2;
--> statement-breakpoint
create index arrival_of_bridge on bridge.arrival (bridge_id);
--> statement-breakpoint
-- The provider's addresses that money may go to and come from, as they were first seen, or as an
-- operator said. Code: of the contract, and of what stands behind it.
create table bridge.pin (
	chain_id int8 not null,
	-- `depository`, `proxy` (takes what owners signed for), `solver`.
	role text not null,
	address bytea not null,
	-- Null: it has none, or was not read yet.
	code_hash bytea,
	-- `first seen`, or an operator.
	pinned_by text not null,
	pinned_at timestamptz not null,
	primary key (chain_id, role, address)
);
--> statement-breakpoint
-- When an operator accepted less than was promised, and when the last look was that has no next one.
-- Since when a chain does not show an arrival any more.
alter table bridge.bridge add column accepted_at timestamptz, add column stopped_at timestamptz,
	add column missing_at timestamptz;
