import type { HeldWallet } from "../people/Person.ts";

/** Renders a wallet as GET /v1/wallets/:id does. */
export function renderWallet(wallet: HeldWallet, quorumId: string): unknown {
	return {
		id: wallet.id,
		address: wallet.address,
		chain_type: "ethereum",
		owner_id: `owner${wallet.id}`,
		policy_ids: [],
		additional_signers: wallet.isDelegated
			? [{ signer_id: quorumId, override_policy_ids: [] }]
			: [],
		created_at: 1_700_000_000_000,
		archived_at: wallet.isArchived ? 1_700_000_000_000 : null,
		exported_at: null,
		imported_at: null,
	};
}
