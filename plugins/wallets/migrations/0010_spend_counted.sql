-- What counts towards the limit of a day stands in one range of an index, with all that is added up:
-- its rows are not read, nor what else an intent has in the ledger.
create index spend_counted on wallets.spend_entry (profile_id, at) include (kind, usd_micros, intent_id)
	where kind in ('reserve', 'release', 'unrelease');
--> statement-breakpoint
drop index wallets.spend_of_profile;
