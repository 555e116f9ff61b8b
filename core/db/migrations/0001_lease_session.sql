-- Under which name the holder's connections stand in pg_stat_activity: a holder that is killed has
-- none any more, and nobody has to wait until its lease runs out. Null: only time tells.
alter table core.lease add column session text;
