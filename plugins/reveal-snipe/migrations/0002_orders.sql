-- Who else is buying a listing: a plan leaves it to them.
create index fill_of_order on reveal_snipe.fill (order_hash);
