// Finds the wallets of a browser, has one sign, and remembers what was sent.

import type { LinkShown } from "#plugins/wallets/contract.ts";

export type FoundWallet = { name: string; provider: WalletProvider };

/** A browser's wallet, as EIP-1193 has it. */
export type WalletProvider = {
	request(call: { method: string; params?: readonly unknown[] }): Promise<unknown>;
};

/** Holds the result of asking the wallet. Only `sent` and `unclear` can have moved anything. */
export type WalletOutcome =
	| { kind: "sent"; transactionHash: string }
	| { kind: "wrong_account"; account: string | null }
	| { kind: "wrong_chain" }
	| { kind: "rejected" }
	/** The wallet failed after it was asked to send: it is unknown whether it did. */
	| { kind: "unclear"; detail: string };

type About = Pick<LinkShown, "purpose" | "planHash" | "transactions">;

type WalletRequest = NonNullable<LinkShown["request"]>;

declare global {
	interface Window {
		ethereum?: WalletProvider;
	}
}

const WALLETS_MAX = 20;
const NAME_LENGTH_MAX = 60;

/**
 * Remembers in the browser what its wallet has sent for a link, so that a reload does not sign
 * twice. A payment is remembered under its intent, which is never that of another. A cancellation
 * has a key of its own: reporting the payment in its place would say that nothing was cancelled.
 */
export const sentMemory = {
	keep(storage: () => Storage, link: About, transactionHash: string): void {
		try {
			storage().setItem(keyOf(link), transactionHash);
		} catch {
			// A browser that keeps nothing: then only this page knows.
		}
	},
	find(storage: () => Storage, link: About): string | null {
		try {
			return storage().getItem(keyOf(link));
		} catch {
			return null;
		}
	},
};

/** The code of EIP-1193 for a person's refusal. */
const USER_REJECTED = 4001;
const HASH = /^0x[0-9a-fA-F]{64}$/;
const DETAIL_LENGTH_MAX = 200;

/**
 * Has the browser's wallet send exactly what is asked for: by the account it is asked of, on the
 * chain it is meant for. Asked to send once; what fails before that has sent nothing.
 */
export async function signWithWallet(
	wallet: WalletProvider,
	request: WalletRequest,
): Promise<WalletOutcome> {
	try {
		const accounts = await wallet.request({ method: "eth_requestAccounts" });
		const known = Array.isArray(accounts) ? accounts.map((one) => String(one).toLowerCase()) : [];
		if (!known.includes(request.from.toLowerCase())) {
			return { kind: "wrong_account", account: known[0] ?? null };
		}
		const isThere = (await chainOf(wallet)) === BigInt(request.chainId);
		if (!isThere) {
			const params = [{ chainId: request.chainId }];
			await wallet.request({ method: "wallet_switchEthereumChain", params });
			// Some wallets answer before they have changed, or change nothing.
			if ((await chainOf(wallet)) !== BigInt(request.chainId)) return { kind: "wrong_chain" };
		}
	} catch (error) {
		return codeOf(error) === USER_REJECTED ? { kind: "rejected" } : { kind: "wrong_chain" };
	}
	try {
		const sent = await wallet.request({ method: "eth_sendTransaction", params: [request] });
		if (typeof sent === "string" && HASH.test(sent)) {
			return { kind: "sent", transactionHash: sent.toLowerCase() };
		}
		return { kind: "unclear", detail: "no transaction hash" };
	} catch (error) {
		if (codeOf(error) === USER_REJECTED) return { kind: "rejected" };
		return { kind: "unclear", detail: messageOf(error).slice(0, DETAIL_LENGTH_MAX) };
	}
}

/**
 * Finds the wallets of this browser: those that announce themselves (EIP-6963), else the injected
 * one. `onFound` is called with each, in the order they come.
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

async function chainOf(wallet: WalletProvider): Promise<bigint | null> {
	const chainId = await wallet.request({ method: "eth_chainId" });
	return typeof chainId === "string" && /^0x[0-9a-fA-F]{1,16}$/.test(chainId)
		? BigInt(chainId)
		: null;
}

function codeOf(error: unknown): unknown {
	return typeof error === "object" && error !== null ? Reflect.get(error, "code") : undefined;
}

function messageOf(error: unknown): string {
	const message =
		typeof error === "object" && error !== null ? Reflect.get(error, "message") : undefined;
	return typeof message === "string" ? message : "no reason given";
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

function keyOf({ purpose, planHash, transactions }: About): string {
	return purpose === "cancel" ? `cancelled:${planHash}` : `sent:${transactions[0]?.intentId}`;
}
