-- Most collections never trade. They are in the order of their ids within their step of volume, so
-- that a walk along the index goes on in the midst of them without reading and sorting them all.
create index collection_volume_walk
	on market_index.collection (chain_id, volume_class desc, id);
--> statement-breakpoint
drop index market_index.collection_volume;
--> statement-breakpoint
alter index market_index.collection_volume_walk rename to collection_volume;
