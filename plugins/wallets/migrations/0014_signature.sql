-- What a wallet signed where an intent is a signature and no transaction. Who has it may spend by it.
alter table wallets.intent add column signature bytea;
