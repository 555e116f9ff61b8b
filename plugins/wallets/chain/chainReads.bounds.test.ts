import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Fault } from "#core/fault.ts";
import { findByNonce, readAccount } from "#plugins/wallets/chain/readAccount.ts";
import { readReceipt, readReceipts } from "#plugins/wallets/chain/readReceipts.ts";
import type { Plan } from "#plugins/wallets/model.ts";
import { lyingEndpoint } from "#plugins/wallets/testing/lyingEndpoint.ts";
import { createScriptedChain } from "#plugins/wallets/testing/scriptedChain.ts";

// Guarantee: a number that a node cannot mean is that node's failure, in whichever member of
// whichever answer it stands. Nothing is made of it.

const ANNA = `0x${"a1".repeat(20)}` as const;
const SHOP = `0x${"5".repeat(40)}` as const;
const signal = new AbortController().signal;
const plan: Plan = {
	chainId: 1,
	from: ANNA,
	to: SHOP,
	valueRaw: 1n,
	data: "0x",
	spend: { currency: `0x${"0".repeat(40)}`, raw: 1n, decimals: 18, symbol: "ETH" },
	recipient: SHOP,
	shown: {},
	expiresAtMs: 0,
};

const hex = (value: bigint) => `0x${value.toString(16)}`;
const NONSENSE = ["0x-1", "-1", "", "0x", "1.5", 1.5, "many", null, {}, [], true];
const BEYOND = [2n ** 53n, 2n ** 63n, 2n ** 64n, 2n ** 256n - 1n].map(hex);
/** Amounts may have any number of 256 bits. */
const AMOUNTS = new Set(["eth_getBalance", "eth_getTransactionByHash.value"]);
/** A price of gas may be up to 10^18 wei, so 2^53 is no lie. */
const PRICES = new Set([
	...["eth_gasPrice", "eth_maxPriorityFeePerGas", "eth_feeHistory.baseFeePerGas.0"],
]);

function beyond(member: string): readonly string[] {
	if (AMOUNTS.has(member)) return [];
	return PRICES.has(member) ? BEYOND.slice(1) : BEYOND;
}

function lieOf(members: readonly string[]) {
	return fc
		.constantFrom(...members)
		.chain((member) => {
			const values = [...NONSENSE, ...beyond(member)];
			return fc.record({ member: fc.constant(member), value: fc.constantFrom(...values) });
		})
		.map(({ member, value }) => {
			const [method = "", ...path] = member.split(".");
			return { method, path, value };
		});
}

const isFailed = async (asked: Promise<unknown>) => {
	const error = await asked.then(
		() => null,
		(thrown: unknown) => thrown,
	);
	return error instanceof Fault && error.code === "chain_unreadable";
};

describe("a number out of its range", () => {
	test("reading an account fails for each number out of its range", async () => {
		const members = [
			...["eth_getBalance", "eth_getTransactionCount", "eth_gasPrice"],
			...["eth_maxPriorityFeePerGas", "eth_feeHistory.oldestBlock"],
			...["eth_feeHistory.baseFeePerGas.0", "eth_estimateGas"],
		];
		await fc.assert(
			fc.asyncProperty(lieOf(members), async (lie) => {
				const rpc = lyingEndpoint(createScriptedChain().rpc, () => lie);
				const asked = { address: ANNA, plans: [plan], signal };
				expect(await isFailed(readAccount(rpc, asked))).toBe(true);
			}),
			{ numRuns: 200 },
		);
	});

	const SIGHTING = [
		...["nonce", "value"].map((name) => `eth_getTransactionByHash.${name}`),
		...["blockNumber", "status"].map((name) => `eth_getTransactionReceipt.${name}`),
		"eth_blockNumber",
	];

	test("reading transactions fails for each number out of its range, also for one of several", async () => {
		await fc.assert(
			fc.asyncProperty(lieOf(SIGHTING), async (lie) => {
				// That a node knows nothing is an answer.
				fc.pre(!(lie.path.length === 0 && lie.value === null));
				const chain = createScriptedChain();
				const sent = { from: ANNA, to: SHOP, nonce: 0, valueRaw: 5n, data: "0x12" } as const;
				const hash = chain.send(sent);
				chain.mine();
				const rpc = lyingEndpoint(chain.rpc, () => lie);
				expect(await isFailed(readReceipt(rpc, { hash, minBlock: 0, signal }))).toBe(true);
				const asked = [{ hash, minBlock: 0 }];
				const many = readReceipts(rpc, { asked, signal }).then((all) => {
					for (const one of all) if (one instanceof Fault) throw one;
				});
				expect(await isFailed(many)).toBe(true);
			}),
			{ numRuns: 200 },
		);
	});

	test("searching a nonce's use fails for each number out of its range", async () => {
		const members = ["eth_blockNumber", "eth_getTransactionCount"];
		await fc.assert(
			fc.asyncProperty(lieOf(members), async (lie) => {
				const rpc = lyingEndpoint(createScriptedChain().rpc, () => lie);
				const asked = { address: ANNA, nonce: 0, fromBlock: 0, signal };
				expect(await isFailed(findByNonce(rpc, asked))).toBe(true);
			}),
			{ numRuns: 100 },
		);
	});
});
