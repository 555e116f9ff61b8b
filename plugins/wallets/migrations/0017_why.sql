-- Why it stands there, whole: { code, message, limit?, amount?, action? }. Null: there is no reason,
-- or it was written before reasons were kept; `error_code` says the code alone.
alter table wallets.intent add column error jsonb;
