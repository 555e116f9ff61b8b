-- When a block that was refused again and again was last asked for. Backfill takes such blocks
-- last, and one after the other, so that none of them holds up what is owed below it.
alter table chain_scanner.gap add column tried_at timestamptz;
