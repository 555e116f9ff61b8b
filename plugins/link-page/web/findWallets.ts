import type { WalletProvider } from "#plugins/link-page/web/signWithWallet.ts";

export type FoundWallet = { name: string; provider: WalletProvider };

declare global {
	interface Window {
		ethereum?: WalletProvider;
	}
}

const WALLETS_MAX = 20;
const NAME_LENGTH_MAX = 60;

/**
 * The wallets of this browser: those that announce themselves (EIP-6963), else the one that is
 * simply there. `onFound` is told of each, in the order they come.
 */
export function findWallets(onFound: (wallets: readonly FoundWallet[]) => void): void {
	const found: FoundWallet[] = [];
	const add = (wallet: FoundWallet) => {
		const isKnown = found.some(({ provider }) => provider === wallet.provider);
		if (isKnown || found.length >= WALLETS_MAX) return;
		found.push(wallet);
		onFound(found);
	};
	window.addEventListener("eip6963:announceProvider", (event) => {
		const detail: unknown = event instanceof CustomEvent ? event.detail : null;
		if (isAnnouncement(detail)) {
			add({ name: detail.info.name.slice(0, NAME_LENGTH_MAX), provider: detail.provider });
		}
	});
	window.dispatchEvent(new Event("eip6963:requestProvider"));
	if (found.length === 0 && window.ethereum) {
		add({ name: "This browser's wallet", provider: window.ethereum });
	}
}

function isAnnouncement(
	detail: unknown,
): detail is { info: { name: string }; provider: WalletProvider } {
	if (typeof detail !== "object" || detail === null) return false;
	const info: unknown = Reflect.get(detail, "info");
	const provider: unknown = Reflect.get(detail, "provider");
	const hasName = typeof info === "object" && info !== null && "name" in info;
	return (
		hasName &&
		typeof info.name === "string" &&
		typeof provider === "object" &&
		provider !== null &&
		typeof Reflect.get(provider, "request") === "function"
	);
}
