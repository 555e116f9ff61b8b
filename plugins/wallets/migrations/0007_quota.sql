-- How many intents a profile may ask for right now: grows with time, up to a limit. Rewritten by
-- each request, and no index is: half of each page is spare.
create table wallets.intent_quota (
	profile_id uuid primary key,
	tokens float8 not null,
	at timestamptz not null
) with (fillfactor = 50);
