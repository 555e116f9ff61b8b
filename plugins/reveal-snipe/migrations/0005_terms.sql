-- Which of several tokens a plan buys first, and whether it buys before all of them were read.
alter table reveal_snipe.plan
	add column buys_first text not null default 'cheapest',
	add column early boolean not null default false,
	add constraint plan_early check (not early or max_rank is null);
