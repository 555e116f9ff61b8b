import { describe, expect, test } from "bun:test";
import {
	sentMemory,
	signWithWallet,
	type WalletProvider,
} from "#plugins/link-page/web/signWithWallet.ts";
import type { LinkShown } from "#plugins/wallets/contract.ts";

describe("sentMemory", () => {
	function memory() {
		const kept = new Map<string, string>();
		const storage = {
			getItem: (key: string) => kept.get(key) ?? null,
			setItem: (key: string, value: string) => void kept.set(key, value),
		};
		return () => storage as Storage;
	}

	const linkOf = (purpose: LinkShown["purpose"], planHash = "0x1", intentId = "i") => {
		return { purpose, planHash, transactions: [{ intentId } as never] };
	};

	test("the hash that was sent from one link is found by a newer link to the same intent", () => {
		const storage = memory();
		sentMemory.keep(storage, linkOf("sign"), "0xab");
		expect(sentMemory.find(storage, linkOf("sign", "0x2"))).toBe("0xab");
		expect(sentMemory.find(storage, linkOf("sign", "0x1", "other"))).toBeNull();
	});

	test("a payment is never reported as its own cancellation, nor a cancellation as the payment", () => {
		const storage = memory();
		sentMemory.keep(storage, linkOf("sign"), "0xab");
		expect(sentMemory.find(storage, linkOf("cancel"))).toBeNull();
		const other = memory();
		sentMemory.keep(other, linkOf("cancel"), "0xcd");
		expect(sentMemory.find(other, linkOf("sign"))).toBeNull();
		expect(sentMemory.find(other, linkOf("cancel"))).toBe("0xcd");
		// One at a better price is another one.
		expect(sentMemory.find(other, linkOf("cancel", "0x2"))).toBeNull();
	});

	test("a browser without storage causes no error", () => {
		const storage = () => {
			throw new Error("denied");
		};
		sentMemory.keep(storage, linkOf("sign"), "0xab");
		expect(sentMemory.find(storage, linkOf("sign"))).toBeNull();
	});
});

describe("signWithWallet", () => {
	// Guarantee: the wallet is asked to send once, by the right account on the right chain.

	const FROM = "0xaAaAaAaaAaAaAaaAaAAAAAAAAaaaAaAaAaaAaaAa";
	const REQUEST = {
		from: FROM,
		to: `0x${"b".repeat(40)}`,
		value: "0x1",
		data: "0x",
		chainId: "0x1",
	};
	const HASH = `0x${"AB".repeat(32)}`;

	type Script = Record<string, (params: readonly unknown[]) => unknown>;

	function walletOf(script: Script) {
		const asked: string[] = [];
		const wallet: WalletProvider = {
			async request({ method, params = [] }) {
				asked.push(method);
				return script[method]?.(params);
			},
		};
		return { wallet, asked };
	}

	const fails =
		(code: number, message = "no") =>
		() => {
			throw Object.assign(new Error(message), { code });
		};
	const well: Script = {
		eth_requestAccounts: () => [FROM.toLowerCase()],
		eth_chainId: () => "0x1",
		eth_sendTransaction: () => HASH,
	};

	test("the page sends exactly the requested transaction if account and chain are right", async () => {
		let sent: unknown;
		const { wallet, asked } = walletOf({
			...well,
			eth_sendTransaction: ([request]) => {
				sent = request;
				return HASH;
			},
		});
		const outcome = await signWithWallet(wallet, REQUEST);
		expect(outcome).toEqual({ kind: "sent", transactionHash: HASH.toLowerCase() });
		expect(sent).toEqual(REQUEST);
		expect(asked).toEqual(["eth_requestAccounts", "eth_chainId", "eth_sendTransaction"]);
	});

	test("the page asks the wallet for a cancellation with the nonce and fees that were shown", async () => {
		const fees = { maxFeePerGas: "0x9", maxPriorityFeePerGas: "0x2" };
		const request = { ...REQUEST, to: FROM, value: "0x0", nonce: "0x7", ...fees };
		let sent: unknown;
		const { wallet } = walletOf({
			...well,
			eth_sendTransaction: ([asked]) => {
				sent = asked;
				return HASH;
			},
		});
		expect((await signWithWallet(wallet, request)).kind).toBe("sent");
		expect(sent).toEqual(request);
	});

	describe("the wallet is not asked to send", () => {
		const cases: [what: string, script: Script, outcome: object][] = [
			[
				"by another account",
				{ eth_requestAccounts: () => [`0x${"c".repeat(40)}`] },
				{ kind: "wrong_account", account: `0x${"c".repeat(40)}` },
			],
			["by nobody", { eth_requestAccounts: () => [] }, { kind: "wrong_account", account: null }],
			[
				"by nonsense",
				{ eth_requestAccounts: () => null },
				{ kind: "wrong_account", account: null },
			],
			[
				"where the person will not show it",
				{ eth_requestAccounts: fails(4001) },
				{ kind: "rejected" },
			],
			[
				"on a chain that the wallet does not know",
				{ eth_chainId: () => "0x5", wallet_switchEthereumChain: fails(4902) },
				{ kind: "wrong_chain" },
			],
			[
				"where the person will not change the chain",
				{ eth_chainId: () => "0x5", wallet_switchEthereumChain: fails(4001) },
				{ kind: "rejected" },
			],
			[
				"where the wallet says it changed and did not",
				{ eth_chainId: () => "0x5", wallet_switchEthereumChain: () => null },
				{ kind: "wrong_chain" },
			],
			["on a chain that it cannot name", { eth_chainId: () => 1 }, { kind: "wrong_chain" }],
		];
		for (const [what, script, outcome] of cases) {
			test(what, async () => {
				const { wallet, asked } = walletOf({ ...well, ...script });
				expect(await signWithWallet(wallet, REQUEST)).toMatchObject(outcome);
				expect(asked).not.toContain("eth_sendTransaction");
			});
		}
	});

	test("the page sends after the wallet has changed to the right chain", async () => {
		let chainId = "0x5";
		const { wallet } = walletOf({
			...well,
			eth_chainId: () => chainId,
			wallet_switchEthereumChain: ([params]) => {
				expect(params).toEqual({ chainId: "0x1" });
				chainId = "0x01";
			},
		});
		expect((await signWithWallet(wallet, REQUEST)).kind).toBe("sent");
	});

	test("a refusal is final; after any other error while sending the outcome is unclear, without a retry", async () => {
		const refused = walletOf({ ...well, eth_sendTransaction: fails(4001) });
		expect(await signWithWallet(refused.wallet, REQUEST)).toEqual({ kind: "rejected" });
		for (const answer of [fails(-32_603, "x".repeat(999)), () => "0x1", () => null]) {
			const { wallet, asked } = walletOf({ ...well, eth_sendTransaction: answer });
			const outcome = await signWithWallet(wallet, REQUEST);
			expect(outcome.kind).toBe("unclear");
			expect(JSON.stringify(outcome).length).toBeLessThan(300);
			expect(asked.filter((method) => method === "eth_sendTransaction")).toHaveLength(1);
		}
	});
});
