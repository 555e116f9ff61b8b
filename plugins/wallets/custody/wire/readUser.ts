import type { CustodyUser, LinkedAccount } from "#plugins/wallets/custody/Custody.ts";
import { USERNAME_LENGTH_MAX } from "#plugins/wallets/custody/limits.ts";
import { wire } from "#plugins/wallets/custody/wire/wire.ts";

/**
 * A user and the accounts that matter here; null where it cannot be read. Accounts of other kinds
 * (mail, Solana, passkeys) are left out. A social account goes by its subject: names change hands.
 */
export function readUser(json: unknown): CustodyUser | null {
	const { data } = wire.user.safeParse(json);
	if (data === undefined) return null;
	return { id: data.id, accounts: data.linked_accounts.flatMap((one) => readAccount(one) ?? []) };
}

function readAccount(json: unknown): LinkedAccount | null {
	const social = wire.socialAccount.safeParse(json).data;
	if (social) {
		return { type: "social", subject: social.subject, username: usernameOf(social.username) };
	}
	const wallet = wire.walletAccount.safeParse(json).data;
	if (!wallet) return null;
	// Only the provider's own client holds keys there; an id beside another client is not believed.
	const isHeld = wallet.wallet_client === "privy";
	return {
		type: "wallet",
		address: wallet.address,
		providerWalletId: isHeld ? (wallet.id ?? null) : null,
	};
}

function usernameOf(text: string | null | undefined): string | null {
	return text && new RegExp(`^\\w{1,${USERNAME_LENGTH_MAX}}$`).test(text) ? text : null;
}
