-- What sampled tokens showed before a reveal: tokens that show the same did not come out.
alter table reveal_snipe.detection add column baseline jsonb not null default '[]';
