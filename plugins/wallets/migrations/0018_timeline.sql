-- On which timeline of the database a time without records ended. A replica that took over begins
-- another one, and may lack what was written last. Null: the server does not say.
alter table wallets.blackout add column timeline text;
