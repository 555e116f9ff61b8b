-- The token's contracts on a chain, as operators set them. Every version is kept; the highest counts.
create table tokenomics.manifest (
	chain_id int8 not null,
	version int4 not null,
	token bytea not null,
	router bytea,
	burner bytea,
	-- Whom router and burner had to name as their owner.
	owner bytea not null,
	-- Nothing of these contracts is before this block.
	from_block int8 not null,
	set_by text not null,
	set_at timestamptz not null,
	primary key (chain_id, version)
);
