-- Sales that a published rule calls suspicious, each with the rule, and the time of the sale that
-- made it so: what came later was not needed.
create table market_index.wash_sale (
	collection_id int4 not null,
	occurred_at timestamptz not null,
	block_number int8 not null,
	log_index int4 not null,
	sub_index int4 not null,
	-- 1: back and forth; 2: round trip.
	reason int2 not null,
	completed_at timestamptz not null,
	-- As of the event.
	total_native numeric(78),
	primary key (collection_id, occurred_at, block_number, log_index, sub_index)
);
--> statement-breakpoint
create index wash_sale_completed on market_index.wash_sale (collection_id, completed_at);
--> statement-breakpoint
-- The same by hour, so that a week of them is never summed one by one.
create table market_index.wash_hour (
	collection_id int4 not null,
	bucket timestamptz not null,
	sales int4 not null,
	volume numeric(78) not null,
	primary key (collection_id, bucket)
);
--> statement-breakpoint
-- From this time on sales are not judged yet, or came or went since; null: all were judged. What is
-- stored already was never judged. A new collection has nothing to judge.
alter table market_index.collection add column wash_from timestamptz default 'epoch';
--> statement-breakpoint
alter table market_index.collection alter column wash_from drop default;
