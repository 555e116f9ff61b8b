-- A link can also ask an owner to cancel what their own wallet sent. `terms` is what they are asked to
-- sign for that: a transaction of nothing under the payment's nonce, and the fees that it offers.
alter table wallets.link drop constraint link_purpose_check;
--> statement-breakpoint
alter table wallets.link add constraint link_purpose_check
	check (purpose in ('confirm', 'sign', 'cancel'));
--> statement-breakpoint
alter table wallets.link add column terms jsonb;
--> statement-breakpoint
alter table wallets.link add constraint link_terms_check
	check ((purpose = 'cancel') = (terms is not null));
