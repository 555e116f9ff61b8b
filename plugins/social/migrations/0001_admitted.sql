-- Whether an event was let through its author's limit of the hour. One that was is not judged again.
alter table social.event add column is_admitted boolean not null default false;
--> statement-breakpoint
update social.event set is_admitted = true where state = 'answered';
