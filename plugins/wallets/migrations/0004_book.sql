-- In which transaction a row was written, for the audit chain (`book/walletsBook`). What was there
-- before has no transaction of ours: thousands together, in an order of its own, below all others.
alter table wallets.spend_entry add column tx int8;
--> statement-breakpoint
update wallets.spend_entry set tx = id / 1000 - 1000000000000;
--> statement-breakpoint
alter table wallets.spend_entry alter column tx set not null, alter column tx set default core.book_tx();
--> statement-breakpoint
create index spend_tx on wallets.spend_entry (tx);
--> statement-breakpoint
alter table wallets.intent_move add column tx int8;
--> statement-breakpoint
update wallets.intent_move m set tx = numbered.place / 1000 - 1000000000000
from (
	select intent_id, seq, row_number() over (order by intent_id, seq) as place
	from wallets.intent_move
) as numbered
where numbered.intent_id = m.intent_id and numbered.seq = m.seq;
--> statement-breakpoint
alter table wallets.intent_move alter column tx set not null, alter column tx set default core.book_tx();
--> statement-breakpoint
create index move_tx on wallets.intent_move (tx);
--> statement-breakpoint
-- In which transaction it became final: it does not change any more.
alter table wallets.submission add column final_tx int8;
--> statement-breakpoint
update wallets.submission set final_tx = numbered.place / 1000 - 1000000000000
from (
	select id, row_number() over (order by id) as place from wallets.submission
	where final_at is not null
) as numbered
where numbered.id = submission.id;
--> statement-breakpoint
create index submission_final_tx on wallets.submission (final_tx) where final_tx is not null;
