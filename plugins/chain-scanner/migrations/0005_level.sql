-- When a lane was last seen level with the head: a chain that makes no block for long is as well
-- known as one that does, and its lanes write nothing else meanwhile.
alter table chain_scanner.cursor add column level_at timestamptz;
