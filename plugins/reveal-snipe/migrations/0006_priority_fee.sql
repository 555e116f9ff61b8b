-- The least tip per gas that its buys offer, in base units; null: what nodes ask for.
alter table reveal_snipe.plan add column priority_fee_raw numeric(78) check (priority_fee_raw > 0);
