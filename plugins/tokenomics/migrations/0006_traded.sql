-- All that a trader settled in the season, beside what counts of it.
alter table tokenomics.standing add column traded_usd_micros int8 not null default 0;
