import type { Address } from "#core/chain/Hex.ts";
import { type Clock, systemClock } from "#core/clock.ts";
import { httpFault } from "#core/http/faults.ts";
import type { CustodyWallet, LinkedAccount } from "#plugins/custody/contract.ts";
import { fakeCustody } from "#test/harness/fakes.ts";

export type LocalCustody = ReturnType<typeof createLocalCustody>;

/** Makes a wallet provider in memory, for tests of who somebody is. It sends and signs nothing. */
export function createLocalCustody(clock: Clock = systemClock) {
	const tokens = new Map<string, { userId: string; issuedAtMs: number | undefined }>();
	const users = new Map<string, LinkedAccount[]>();
	const held = new Map<string, CustodyWallet>();
	/** Awaited before a user is told: where two are to be under way at once. */
	const waits = { user: async () => {} };
	const custody = fakeCustody({
		async user(id) {
			await waits.user();
			const accounts = users.get(id);
			return accounts ? { id, accounts } : null;
		},
		wallet: async (id) => held.get(id) ?? null,
		async verifyAccessToken(token) {
			const known = tokens.get(token);
			if (!known) throw httpFault.unauthorized();
			return { userId: known.userId, issuedAtMs: known.issuedAtMs ?? clock.nowMs() };
		},
	});
	return {
		custody,
		waits,
		held,
		users,
		/** Knows somebody from now on; answers their access token, always fresh or of a time. */
		user(id: string, accounts: LinkedAccount[], issuedAtMs?: number): string {
			const token = `access-of-${id}`;
			users.set(id, accounts);
			tokens.set(token, { userId: id, issuedAtMs });
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
