import type { LinkShown } from "#plugins/wallets/contract.ts";

/** A browser's wallet, as EIP-1193 has it. */
export type WalletProvider = {
	request(call: { method: string; params?: readonly unknown[] }): Promise<unknown>;
};

type WalletRequest = NonNullable<LinkShown["request"]>;

/** What asking the wallet came to. Only `sent` and `unclear` can have moved anything. */
export type WalletOutcome =
	| { kind: "sent"; transactionHash: string }
	| { kind: "wrong_account"; account: string | null }
	| { kind: "wrong_chain" }
	| { kind: "rejected" }
	/** The wallet failed after it was asked to send: nobody here knows whether it did. */
	| { kind: "unclear"; detail: string };

/** EIP-1193: the person said no. */
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
