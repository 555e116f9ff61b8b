-- What people call a collection: its whole name, in any case, the oldest first.
create index collection_name on market_index.collection (lower(name), id) where not excluded;
