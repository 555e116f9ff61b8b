-- Since when blocks that were read are not on the chain any more, or no node shows them; null: they
-- are there, and all that is final is read.
alter table tokenomics.followed add column rebuilds_since timestamptz;
