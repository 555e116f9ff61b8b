import type { Address } from "#core/chain/Hex.ts";
import { httpFault } from "#core/http/httpFault.ts";
import type { Custody, CustodyWallet, LinkedAccount } from "#plugins/wallets/custody/Custody.ts";
import { offCustody } from "#plugins/wallets/custody/openCustody.ts";

export type LocalCustody = ReturnType<typeof createLocalCustody>;

/** A wallet provider in memory, for tests of who somebody is. It sends and signs nothing. */
export function createLocalCustody() {
	const tokens = new Map<string, string>();
	const users = new Map<string, LinkedAccount[]>();
	const held = new Map<string, CustodyWallet>();
	/** Awaited before a user is told: where two are to be under way at once. */
	const waits = { user: async () => {} };
	const custody: Custody = {
		...offCustody,
		isOn: true,
		async user(id) {
			await waits.user();
			const accounts = users.get(id);
			return accounts ? { id, accounts } : null;
		},
		wallet: async (id) => held.get(id) ?? null,
		async verifyAccessToken(token) {
			const userId = tokens.get(token);
			if (userId === undefined) throw httpFault.unauthorized();
			return { userId, sessionId: "their-session" };
		},
	};
	return {
		custody,
		waits,
		held,
		users,
		/** Knows somebody from now on; answers their access token. */
		user(id: string, accounts: LinkedAccount[], token = `access-of-${id}`): string {
			users.set(id, accounts);
			tokens.set(token, id);
			return token;
		},
		/** Holds a wallet from now on; answers the account that links it. */
		embedded(id: string, address: Address, isDelegated: boolean): LinkedAccount {
			held.set(id, { id, address, isDelegated, isArchived: false });
			return { type: "wallet", address, providerWalletId: id };
		},
		external: (address: Address): LinkedAccount => {
			return { type: "wallet", address, providerWalletId: null };
		},
		social: (subject: string, username: string | null = null): LinkedAccount => {
			return { type: "social", subject, username };
		},
	};
}
