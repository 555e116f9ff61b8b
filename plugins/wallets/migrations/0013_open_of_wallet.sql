-- What of a wallet is under way: an allowance of its token is changed by one at a time.
create index intent_open_of_wallet on wallets.intent (wallet_id)
	where status in ('created', 'submitting', 'submitted', 'uncertain', 'confirmation_required',
		'review_required', 'signature_required', 'waiting');
