-- The transaction that noted a move, as in `wallets.intent_move`: by it moves are told to their
-- owners once they are committed. Null for those of before, which are in lists.
alter table bridge.move add column tx int8;
--> statement-breakpoint
alter table bridge.move alter column tx set default core.book_tx();
--> statement-breakpoint
create index move_tx on bridge.move (tx) where tx is not null;
--> statement-breakpoint
-- The list of all that a profile asked for goes by time.
create index bridge_by_time on bridge.bridge (profile_id, created_at desc, id desc);
--> statement-breakpoint
create index bridge_of_intent on bridge.bridge (intent_id) where intent_id is not null;
