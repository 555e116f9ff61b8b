-- The row of a plugin's own (a plan, a trade) that was written with the key.
alter table wallets.idempotent_answer add column record_id uuid;
