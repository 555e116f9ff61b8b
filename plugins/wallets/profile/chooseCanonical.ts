import type { Wallet, WalletCapability } from "#plugins/wallets/contract.ts";

/** Whom the service can act for comes first; a disabled wallet trades for nobody. */
const RANK: Readonly<Record<WalletCapability, number>> = {
	"embedded/delegated": 0,
	"embedded/manual": 1,
	"external/manual": 2,
	"review-required": 3,
	disabled: 4,
};

const DISABLED = RANK.disabled;

/**
 * Chooses the wallet that commands without a wallet's name act on. The one chosen before stays as
 * long as it can be used: money must not begin to leave from another because one was added.
 */
export function chooseCanonical(
	wallets: readonly Pick<Wallet, "id" | "capability">[],
	chosenId: string | null,
): string | null {
	const chosen = wallets.find(({ id }) => id === chosenId);
	if (chosen && RANK[chosen.capability] < DISABLED) return chosen.id;
	const [best] = wallets
		.filter(({ capability }) => RANK[capability] < DISABLED)
		.sort((one, other) => RANK[one.capability] - RANK[other.capability]);
	return best?.id ?? null;
}
