-- One transaction is the fill of several bridges only as far as it pays for all of them.
create index bridge_arrival on bridge.bridge (out_hash) where out_hash is not null;
