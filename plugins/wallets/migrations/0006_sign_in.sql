-- When who opened a session proved who they are; null: when it was opened. An access token of the
-- wallet provider may be as old as it may be at all.
alter table wallets.session add column signed_in_at timestamptz;
