-- What is sent and not seen mined yet: each new block of its chain is searched for it.
create index submission_sent on wallets.submission (chain_id) where state = 'sent';
