-- What each bucket was short of its exact share after revenue, in ten thousandths of a unit, in the
-- order of buckets; negative: ahead. It is carried over all sources and splits of a currency.
alter table tokenomics.entry add column carried int4[];
--> statement-breakpoint
-- What routers said was added up by another rule: it is read again from the beginning.
delete from tokenomics.entry where (chain_id, contract) in (
	select chain_id, address from tokenomics.followed where role = 'router');
--> statement-breakpoint
delete from tokenomics.total where (chain_id, contract) in (
	select chain_id, address from tokenomics.followed where role = 'router');
--> statement-breakpoint
update tokenomics.followed set read_to = from_block - 1, read_hash = null, read_at = null,
	agreed_to = from_block - 1, agreed_hash = null
where role = 'router';
