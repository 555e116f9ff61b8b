import type { Person } from "../people/Person.ts";

/** Renders a user as GET /v1/users/:id does. */
export function renderPerson(person: Person): unknown {
	const { id, subject, username, wallet, external } = person;
	const seen = { verified_at: 1_700_000_000, first_verified_at: 1_700_000_000 };
	const social = subject !== null && {
		type: "twitter_oauth",
		subject,
		username,
		name: username,
		profile_picture_url: null,
		...seen,
		latest_verified_at: 1_700_000_000,
	};
	const embedded = wallet && {
		type: "wallet",
		id: wallet.id,
		address: wallet.address,
		chain_id: "eip155:1",
		chain_type: "ethereum",
		connector_type: "embedded",
		wallet_client: "privy",
		wallet_client_type: "privy",
		delegated: wallet.isDelegated,
		imported: false,
		recovery_method: "privy-v2",
		wallet_index: 0,
		...seen,
	};
	const outside = external !== null && {
		type: "wallet",
		address: external,
		chain_type: "ethereum",
		connector_type: "injected",
		wallet_client: "unknown",
		...seen,
	};
	const accounts = [social, embedded, outside].filter(Boolean);
	return { id, created_at: 1_700_000_000, linked_accounts: accounts, is_guest: false };
}
