import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Rpc, type RpcCall, rpcFault } from "#core/chain/rpc/Rpc.ts";
import { Fault } from "#core/fault.ts";
import { findByNonce, readAccount } from "#plugins/wallets/chain/readAccount.ts";
import { readReceipt } from "#plugins/wallets/chain/readReceipts.ts";
import type { Plan } from "#plugins/wallets/model.ts";
import { createScriptedChain } from "#plugins/wallets/testing/scriptedChain.ts";

// Guarantee: what a node says is read whole or not at all; nothing is made up where it is silent.

const ANNA = `0x${"a1".repeat(20)}` as const;
const SHOP = `0x${"5".repeat(40)}` as const;
const signal = new AbortController().signal;

function planOf(data: `0x${string}`, valueRaw = 1n): Plan {
	return {
		chainId: 1,
		from: ANNA,
		to: SHOP,
		valueRaw,
		data,
		spend: { currency: `0x${"0".repeat(40)}`, raw: valueRaw, decimals: 18, symbol: "ETH" },
		recipient: SHOP,
		shown: {},
		expiresAtMs: 0,
	};
}

/** A node with words of its own for some methods. */
function nodeOf(answers: Record<string, unknown>): { rpc: Rpc; calls: RpcCall[] } {
	const chain = createScriptedChain();
	const calls: RpcCall[] = [];
	const settle: Rpc["settle"] = async (asked, options) => {
		calls.push(...asked);
		const outcomes = await chain.rpc.settle(asked, options);
		return outcomes.map((outcome, index) => {
			const own = answers[asked[index]?.method ?? ""];
			if (own === undefined) return outcome;
			return own instanceof Error
				? { kind: "fault", fault: own as never }
				: { kind: "result", result: own };
		});
	};
	return { rpc: { ...chain.rpc, settle }, calls };
}

describe("an account", () => {
	test("an account is read with its plans simulated, and a fifth is added to the gas", async () => {
		const chain = createScriptedChain();
		chain.balances.set(ANNA, 77n);
		chain.reverts.add("0xbad0");
		const plans = [planOf("0x01"), planOf("0xbad0")];
		const read = await readAccount(chain.rpc, { address: ANNA, plans, signal });
		expect(read.account).toEqual({
			balanceRaw: 77n,
			minedNonce: 0,
			pendingNonce: 0,
			// The base fee twice, and the tip.
			maxFeePerGas: 16n,
			maxPriorityFeePerGas: 2n,
			headBlock: 0,
		});
		expect(read.simulations).toMatchObject([
			{ kind: "ok", gasLimit: 25_200n },
			{ kind: "reverts", detail: expect.stringContaining("execution reverted") },
		]);
	});

	test("the simulated call is exactly the transaction that would be sent", async () => {
		const { rpc, calls } = nodeOf({});
		await readAccount(rpc, { address: ANNA, plans: [planOf("0x1234", 255n)], signal });
		const call = calls.find(({ method }) => method === "eth_estimateGas");
		const sent = { from: ANNA, to: SHOP, value: "0xff", data: "0x1234" };
		expect(call?.params).toEqual([sent, "latest"]);
	});

	test("the nonce includes transactions that wait in the node's pool", async () => {
		const chain = createScriptedChain();
		chain.send({ from: ANNA, to: SHOP, nonce: 0, valueRaw: 1n, data: "0x" });
		const { account } = await readAccount(chain.rpc, { address: ANNA, plans: [], signal });
		expect(account.pendingNonce).toBe(1);
	});

	test("without a suggested priority fee, the gas price minus the base fee is used", async () => {
		const { rpc } = nodeOf({
			eth_feeHistory: { oldestBlock: "0x5", baseFeePerGas: ["0x7", "0x8"] },
			eth_maxPriorityFeePerGas: rpcFault.refused({ detail: "internal error" }),
		});
		const { account } = await readAccount(rpc, { address: ANNA, plans: [], signal });
		expect(account).toMatchObject({ maxFeePerGas: 16n, maxPriorityFeePerGas: 2n });
	});

	test("on a chain without base fee or priority fee the gas price is used", async () => {
		for (const fees of [{}, { baseFeePerGas: null }, { baseFeePerGas: ["0x0", "0x0"] }]) {
			const { rpc } = nodeOf({
				eth_feeHistory: { oldestBlock: "0x5", ...fees },
				eth_maxPriorityFeePerGas: rpcFault.refused({ detail: "no such method" }),
			});
			const { account } = await readAccount(rpc, { address: ANNA, plans: [], signal });
			expect(account).toMatchObject({
				...{ maxFeePerGas: 9n, maxPriorityFeePerGas: 9n, headBlock: 5 },
			});
		}
	});

	test("if a node gives no fee history, its newest block is read", async () => {
		const { rpc, calls } = nodeOf({
			eth_feeHistory: rpcFault.refused({ detail: "no such method" }),
			eth_getBlockByNumber: { number: "0x5", baseFeePerGas: "0x7" },
		});
		const { account } = await readAccount(rpc, { address: ANNA, plans: [], signal });
		expect(account).toMatchObject({ maxFeePerGas: 16n, maxPriorityFeePerGas: 2n, headBlock: 5 });
		expect(calls.at(-1)).toEqual({ method: "eth_getBlockByNumber", params: ["latest", false] });
	});

	test("additional calls are answered with the account, and a refused one affects only itself", async () => {
		const { rpc, calls } = nodeOf({ eth_getCode: "0x6001" });
		const call = { method: "eth_getCode", params: [SHOP, "latest"] };
		const asked = { address: ANNA, plans: [planOf("0x01")], questions: [call, call], signal };
		const read = await readAccount(rpc, asked);
		expect(read).toMatchObject({ answers: ["0x6001", "0x6001"], simulations: [{ kind: "ok" }] });
		expect(calls.slice(-2)).toEqual([call, call]);
		const no = nodeOf({ eth_getCode: rpcFault.refused({ detail: "no" }) });
		expect(await readAccount(no.rpc, asked)).toEqual({ ...read, answers: [null, null] });
	});

	test("an unreachable node, or invalid answers, do not count as a revert or a balance of zero", async () => {
		const away = rpcFault.transport({ detail: "away" });
		for (const answers of [
			{ eth_estimateGas: away },
			{ eth_getBalance: away },
			{ eth_getBalance: null },
			{ eth_getBalance: "0x" },
			{ eth_getTransactionCount: rpcFault.refused({ detail: "no" }) },
			{ eth_feeHistory: null },
			{ eth_feeHistory: away },
			{ eth_feeHistory: { baseFeePerGas: ["0x7"] } },
			{ eth_estimateGas: "lots" },
		]) {
			const { rpc } = nodeOf(answers);
			const read = readAccount(rpc, { address: ANNA, plans: [planOf("0x01")], signal });
			await expect(read).rejects.toBeInstanceOf(Fault);
		}
	});
});

describe("a receipt", () => {
	test("a receipt is returned with its transaction, mined or not", async () => {
		const chain = createScriptedChain();
		const sent = { from: ANNA, to: SHOP, nonce: 0, valueRaw: 5n, data: "0x12" } as const;
		const hash = chain.send({ ...sent, reverts: true });
		const waiting = await readReceipt(chain.rpc, { hash, minBlock: 0, signal });
		expect(waiting).toMatchObject({ transaction: sent, receipt: null, headBlock: 0 });
		chain.mine();
		const mined = await readReceipt(chain.rpc, { hash, minBlock: 1, signal });
		expect(mined).toMatchObject({
			transaction: sent,
			receipt: { transactionHash: hash, blockNumber: 1, succeeded: false, logs: [] },
			headBlock: 1,
		});
	});

	test("a hash that the node does not know gives null", async () => {
		const { rpc } = createScriptedChain();
		const hash = `0x${"ab".repeat(32)}` as const;
		expect(await readReceipt(rpc, { hash, minBlock: 0, signal })).toBeNull();
	});

	/** A node that answers these in place of what it knows. */
	async function read(answers: Record<string, unknown>, minBlock = 0) {
		const { rpc } = createScriptedChain();
		const settle: Rpc["settle"] = async (calls, options) => {
			const known = await rpc.settle(calls, options);
			return known.map((outcome, index) => {
				const result = answers[calls[index]?.method ?? ""];
				return result === undefined ? outcome : { kind: "result", result };
			});
		};
		return readReceipt({ ...rpc, settle }, { hash: HASH, minBlock, signal });
	}
	const HASH = `0x${"ab".repeat(32)}` as const;
	const OTHER = `0x${"cd".repeat(32)}` as const;
	const sent = { hash: HASH, from: ANNA, to: SHOP, nonce: "0x0", value: "0x1", input: "0x" };
	const mined = {
		...{ transactionHash: HASH, blockNumber: "0x1", blockHash: OTHER, status: "0x1", logs: [] },
	};

	test("a receipt of another transaction, or an invalid one, counts as a failure of the node", async () => {
		for (const answers of [
			{ eth_getTransactionByHash: { ...sent, hash: OTHER } },
			{ eth_getTransactionByHash: "yes" },
			{ eth_getTransactionByHash: { ...sent, nonce: null } },
			{ eth_getTransactionReceipt: { ...mined, transactionHash: OTHER } },
			{ eth_getTransactionReceipt: { ...mined, blockHash: "0x12" } },
			{ eth_getTransactionReceipt: { ...mined, status: undefined } },
			{ eth_blockNumber: "soon" },
		]) {
			const asked = read({
				eth_getTransactionByHash: sent,
				eth_getTransactionReceipt: mined,
				...answers,
			});
			await expect(asked).rejects.toMatchObject({ code: "chain_unreadable" });
		}
	});

	test("a receipt that was read before does not count as gone because a node is behind", async () => {
		for (const answers of [{}, { eth_getTransactionByHash: sent }]) {
			await expect(read(answers, 1)).rejects.toMatchObject({ code: "chain_behind" });
			const caughtUp = await read({ ...answers, eth_blockNumber: "0x1" }, 1);
			expect(caughtUp?.receipt ?? null).toBeNull();
		}
	});
});

describe("the use of a nonce", () => {
	const find = (chain: ReturnType<typeof createScriptedChain>, nonce: number, fromBlock = 0) =>
		findByNonce(chain.rpc, { address: ANNA, nonce, fromBlock, signal });

	test("a used nonce is found wherever it was mined, whatever other accounts sent", async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 30 }),
				async (blocks) => {
					const chain = createScriptedChain();
					const hashes: string[] = [];
					for (const count of blocks) {
						for (let index = 0; index < count; index++) {
							const nonce = hashes.length;
							const one = { from: ANNA, to: SHOP, nonce, valueRaw: 1n, data: "0x" } as const;
							hashes.push(chain.send(one));
						}
						chain.send({ from: SHOP, to: ANNA, nonce: 0, valueRaw: 1n, data: "0x" });
						chain.mine();
					}
					for (const [nonce, transactionHash] of hashes.entries()) {
						const found = await find(chain, nonce);
						expect(found).toMatchObject({ kind: "mined", transactionHash });
					}
					expect(await find(chain, hashes.length)).toEqual({ kind: "free" });
				},
			),
			{ numRuns: 30 },
		);
	});

	/** A node that keeps the state of its newest blocks alone, and all blocks. */
	function pruned(blocks: number, oldestState: number) {
		const chain = createScriptedChain();
		const hashes: string[] = [];
		for (let number = 1; number <= blocks; number++) {
			if (number % 7 === 0) {
				const nonce = hashes.length;
				hashes.push(chain.send({ from: ANNA, to: SHOP, nonce, valueRaw: 1n, data: "0x" }));
			}
			chain.mine();
		}
		chain.state.oldestState = oldestState;
		return { chain, hashes };
	}

	test("a used nonce is found by reading blocks if the node keeps no old state", async () => {
		const { chain, hashes } = pruned(60, 40);
		for (const [nonce, transactionHash] of hashes.entries()) {
			expect(await find(chain, nonce)).toEqual({ kind: "mined", transactionHash } as never);
		}
		expect(await find(chain, hashes.length)).toEqual({ kind: "free" });
	});

	test("a nonce that was used before the searched blocks counts as used, with an unknown hash", async () => {
		const { chain } = pruned(320, 315);
		const early = 5;
		expect(await find(chain, early)).toEqual({ kind: "used" });
		expect(await find(chain, early, 20)).toMatchObject({ kind: "mined" });
	});

	test("a used nonce is found although the chain never had the block in which it was free", async () => {
		const { chain, hashes } = pruned(320, 317);
		const [last] = hashes.slice(-1);
		for (const fromBlock of [319, 321, 1_000_000_000]) {
			expect(await find(chain, hashes.length - 1, fromBlock)).toEqual({
				...{ kind: "mined", transactionHash: last },
			} as never);
		}
		// A node that is behind shows a free nonce as well.
		const free = find(chain, hashes.length, 1_000_000_000);
		await expect(free).rejects.toMatchObject({ code: "chain_behind" });
	});

	test("a nonce with a transaction in the node's pool counts as pending", async () => {
		const chain = createScriptedChain();
		chain.send({ from: ANNA, to: SHOP, nonce: 0, valueRaw: 1n, data: "0x" });
		expect(await find(chain, 0)).toEqual({ kind: "pending" });
		expect(await find(chain, 1)).toEqual({ kind: "free" });
	});

	test("a node that is behind or answers nonsense does not prove a nonce free", async () => {
		const chain = createScriptedChain();
		await expect(find(chain, 0, 1)).rejects.toMatchObject({ code: "chain_behind" });
		const rpc: Rpc = { ...chain.rpc, call: async () => "lots" };
		const asked = findByNonce(rpc, { address: ANNA, nonce: 0, fromBlock: 0, signal });
		await expect(asked).rejects.toMatchObject({ code: "chain_unreadable" });
	});

	test("while a node is down the use of a nonce is unknown", async () => {
		const chain = createScriptedChain();
		chain.state.isDown = true;
		await expect(find(chain, 0)).rejects.toThrow();
	});
});
