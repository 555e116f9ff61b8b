-- The block above the cursor whose rows were stored as a node pushed them, before it was asked: they
-- go again unless its answer about that very block agrees.
alter table chain_scanner.cursor add column early_block int8;
alter table chain_scanner.cursor add column early_hash bytea;
