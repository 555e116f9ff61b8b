// Guarantee: nothing counts as arrived that the receipt alone says, while the balances of its block
// show less; what our other transactions of that block did is not taken for it, nor gas.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { encodeFunctionData, erc20Abi, type Hex } from "viem";
import type { Address } from "#core/chain/Hex.ts";
import { httpRpc } from "#core/chain/rpc/httpRpc.ts";
import { type Rpc, rpcFault } from "#core/chain/rpc/Rpc.ts";
import { readReceipt } from "#plugins/wallets/chain/readReceipts.ts";
import type { Receipt } from "#plugins/wallets/model.ts";
import {
	type Holding,
	judgeArrival,
	type MinedTransaction,
	measureChange,
	settledBy,
	toldByLogs,
	toldByValue,
} from "#plugins/wallets/settle/arrived.ts";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { deployOddToken, type ODD, type OddToken } from "#test/harness/deployOddToken.ts";

const TOKEN: Address = `0x${"7e".repeat(20)}`;
const ANNA: Address = `0x${"a1".repeat(20)}`;
const signal = new AbortController().signal;

let anvil: Anvil;
let token: OddToken;
let rpc: Rpc;
let wallet: Address;
let other: Address;

beforeAll(async () => {
	anvil = await startAnvil();
	token = await deployOddToken(anvil, TOKEN);
	[, wallet = ANNA, other = ANNA] = await anvil.rpc<Address[]>("eth_accounts");
	rpc = httpRpc({
		...{ url: anvil.url, timeoutMs: 5_000, batchMax: 20 },
		...{ concurrencyMax: 2, bodyBytesMax: 10_000_000 },
	});
	await token.mint(wallet, 10n ** 24n);
	await token.mint(other, 10n ** 24n);
});
afterAll(async () => anvil?.stop());

const move = (raw: bigint, to: Address = ANNA, from: Address = wallet) => {
	const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [to, raw] });
	return anvil.rpc<Hex>("eth_sendTransaction", [{ from, to: TOKEN, data, gas: "0x30d40" }]);
};
const pay = (value: bigint, to: Address = ANNA, from: Address = wallet) => {
	const call = { from, to, value: `0x${value.toString(16)}` };
	return anvil.rpc<Hex>("eth_sendTransaction", [call]);
};

async function receiptOf(sent: Hex): Promise<Receipt> {
	await anvil.mined();
	const found = await readReceipt(rpc, { hash: sent, minBlock: 0, signal });
	if (!found?.receipt) throw new Error("not mined");
	return found.receipt;
}

/** Sends all of these, and mines them in one block. */
async function together(...send: (() => Promise<Hex>)[]): Promise<Receipt[]> {
	await anvil.rpc("anvil_setAutomine", [false]);
	const sent: Hex[] = [];
	for (const one of send) sent.push(await one());
	await anvil.rpc("anvil_mine", []);
	await anvil.rpc("anvil_setAutomine", [true]);
	return await Promise.all(sent.map(receiptOf));
}

function measure(receipt: Receipt, account: Address, given: { through?: Rpc; of?: Holding } = {}) {
	const { through = rpc, of: holding = { kind: "token", address: TOKEN } } = given;
	const toldBy = holding.kind === "coin" ? toldByValue(account) : toldByLogs(TOKEN, account);
	return measureChange(through, { account, sender: wallet, holding, receipt, toldBy, signal });
}

describe("a token's transfer", () => {
	for (const [how, told, held, left] of [
		["honest", 1_000n, 1_000n, -1_000n],
		["movesNothing", 1_000n, 0n, 0n],
		["takesDouble", 1_000n, 1_000n, -2_000n],
		["keepsSome", 1_000n, 980n, -1_000n],
		["honestFee", 980n, 980n, -1_000n],
		["answersFalse", 0n, 0n, 0n],
		["answersNothing", 1_000n, 1_000n, -1_000n],
		["hidesBalances", 1_000n, 0n, 0n],
	] as const satisfies readonly (readonly [keyof typeof ODD, bigint, bigint, bigint])[]) {
		test(`for a token that is ${how} the amount that really moved is measured`, async () => {
			await token.become(how);
			const receipt = await receiptOf(await move(1_000n));
			expect(await measure(receipt, ANNA)).toEqual({ toldRaw: told, heldRaw: held });
			const sent = await measure(receipt, wallet);
			expect(sent.heldRaw).toBe(left);
			await token.become("honest");
		});
	}

	test("a transfer is measured apart from our other transactions in its block", async () => {
		const receipts = await together(
			() => move(1_000n),
			() => move(300n),
			() => move(7n, wallet, other),
		);
		const [first, second] = receipts;
		if (!first || !second) throw new Error("not sent");
		expect(first.blockHash).toBe(second.blockHash);
		expect(await measure(first, ANNA)).toEqual({ toldRaw: 1_000n, heldRaw: 1_000n });
		expect(await measure(second, ANNA)).toEqual({ toldRaw: 300n, heldRaw: 300n });
		// What a stranger added is no fault: it is more.
		expect(await measure(second, wallet)).toEqual({ toldRaw: -300n, heldRaw: -293n });
	});

	test("a transfer that moves nothing is not hidden by another one to the same recipient", async () => {
		await token.become("movesNothing");
		const [empty] = await together(
			() => move(1_000n),
			() => move(1_000n),
		);
		await token.become("honest");
		if (!empty) throw new Error("not sent");
		expect(await measure(empty, ANNA)).toEqual({ toldRaw: 1_000n, heldRaw: -1_000n });
	});
});

describe("the coin", () => {
	test("a payment in the coin is measured without gas, and apart from others in its block", async () => {
		const of = { kind: "coin" } as const;
		const [first, second] = await together(
			() => pay(5_000n),
			() => pay(600n),
		);
		if (!first || !second) throw new Error("not sent");
		for (const [receipt, raw] of [
			[first, 5_000n],
			[second, 600n],
		] as const) {
			expect(await measure(receipt, wallet, { of })).toEqual({ toldRaw: -raw, heldRaw: -raw });
			expect(await measure(receipt, ANNA, { of })).toEqual({ toldRaw: raw, heldRaw: raw });
		}
	});
});

describe("nodes", () => {
	/** The same node, which answers some calls as the test wants. */
	function through(answer: (method: string, block: unknown) => string | null): Rpc {
		return {
			...rpc,
			async settle(calls, options) {
				const outcomes = await rpc.settle(calls, options);
				return outcomes.map((outcome, place) => {
					const call = calls[place];
					const message = call ? answer(call.method, call.params.at(-1)) : null;
					if (message === null) return outcome;
					return { kind: "fault", fault: rpcFault.refused({ detail: message }) };
				});
			},
		};
	}

	test("with a node that keeps no old state the receipt's amount is kept", async () => {
		await token.become("movesNothing");
		const receipt = await receiptOf(await move(1_000n));
		await token.become("honest");
		const pruned = through((method) => (method === "eth_call" ? "missing trie node" : null));
		expect(await measure(receipt, ANNA, { through: pruned })).toEqual({
			...{ toldRaw: 1_000n, heldRaw: null },
		});
	});

	test("a node that shows another block at that height, or none, is not believed", async () => {
		const receipt = await receiptOf(await move(1_000n));
		const elsewhere = { ...receipt, blockHash: `0x${"0d".repeat(32)}` as const };
		await expect(measure(elsewhere, ANNA)).rejects.toMatchObject({ code: "chain_contradicts" });
		const ahead = { ...receipt, blockNumber: receipt.blockNumber + 50 };
		await expect(measure(ahead, ANNA)).rejects.toMatchObject({ code: "chain_unreadable" });
		const silent: Rpc = { ...rpc, settle: () => Promise.reject(rpcFault.transport()) };
		await expect(measure(receipt, ANNA, { through: silent })).rejects.toMatchObject({
			code: "rpc_transport",
		});
	});
});

describe("judgeArrival", () => {
	const codeOf = (toldRaw: bigint, heldRaw: bigint | null, wantedRaw: bigint) => {
		const settled = settledBy(judgeArrival({ toldRaw, heldRaw }, wantedRaw));
		return settled && "code" in settled ? settled.code : settled;
	};

	test("full logs with a shortfall are uncertain, and logs below the amount mean a shortfall", () => {
		expect(codeOf(100n, 100n, 100n)).toBeNull();
		expect(codeOf(100n, 101n, 100n)).toBeNull();
		expect(codeOf(100n, null, 100n)).toBeNull();
		expect(codeOf(100n, 99n, 100n)).toBe("arrival_doubtful");
		expect(codeOf(99n, 99n, 100n)).toBe("partly_received");
		expect(codeOf(0n, 0n, 100n)).toBe("not_received");
		expect(codeOf(99n, 0n, 100n)).toBe("not_received");
		expect(codeOf(99n, null, 100n)).toBe("partly_received");
	});

	test("an arrival without logs is uncertain and not failed, because that could lead to a second payment", () => {
		expect(codeOf(0n, 100n, 100n)).toBe("arrival_doubtful");
		expect(codeOf(99n, 200n, 100n)).toBe("arrival_doubtful");
	});

	test("an amount that left is judged the same way: at most the planned one", () => {
		expect(codeOf(-100n, -100n, -100n)).toBeNull();
		expect(codeOf(-100n, -200n, -100n)).toBe("arrival_doubtful");
		expect(codeOf(-100n, 0n, -100n)).toBeNull();
	});

	test("the lower of two amounts counts as arrived, and any excess is reported", () => {
		expect(judgeArrival({ toldRaw: 120n, heldRaw: 110n }, 100n)).toEqual({
			...{ kind: "arrived", raw: 110n, moreRaw: 0n },
		});
		expect(judgeArrival({ toldRaw: 100n, heldRaw: 103n }, 100n)).toEqual({
			...{ kind: "arrived", raw: 100n, moreRaw: 3n },
		});
	});

	test("a failed transaction changed nothing, and other tokens' logs have no meaning", () => {
		const word = (value: Hex) => `0x${value.slice(2).padStart(64, "0")}` as const;
		const topic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef" as const;
		const log = { address: TOKEN, topics: [topic, word(ANNA), word(wallet)], data: word("0x64") };
		const one: MinedTransaction = {
			...{ hash: word("0x1"), from: wallet, to: ANNA, valueRaw: 9n, succeeded: true, logs: [log] },
		};
		expect(toldByLogs(TOKEN, wallet)(one)).toBe(100n);
		expect(toldByLogs(ANNA, wallet)(one)).toBe(0n);
		expect(toldByLogs(TOKEN, wallet)({ ...one, succeeded: false })).toBe(0n);
		expect(toldByValue(ANNA)({ ...one, succeeded: false })).toBe(0n);
		const odd = { ...log, topics: [topic, word(ANNA)] };
		expect(toldByLogs(TOKEN, wallet)({ ...one, logs: [odd] })).toBe(0n);
	});
});
