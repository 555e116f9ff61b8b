-- Up to which block an owner's own transactions since the plan were read, and none was the payment:
-- a search that was cut short goes on from there. Null: a search begins where it was planned.
alter table wallets.intent add column searched_block int8;
--> statement-breakpoint
-- When that was last tried for one whose time is over: the others have their turn first.
alter table wallets.intent add column searched_at timestamptz;
