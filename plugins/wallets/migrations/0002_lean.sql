-- Written with each look and each hand-over, and read by nobody.
alter table wallets.submission drop column holder, drop column checked_at;
--> statement-breakpoint
drop index wallets.spend_of_wallet;
