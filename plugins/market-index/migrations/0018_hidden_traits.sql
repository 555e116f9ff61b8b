-- The traits that all tokens had before the newest reveal: whoever still has them is not ranked.
alter table market_index.collection add column hidden_traits jsonb;
