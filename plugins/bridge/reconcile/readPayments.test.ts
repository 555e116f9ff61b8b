import { expect, test } from "bun:test";
import { type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { type Proof, readPayments } from "#plugins/bridge/reconcile/readPayments.ts";
import { GROWN_COIN, OWN_COIN } from "#plugins/bridge/sql/arrivals.ts";

// Guarantee: what is told to have been paid is read from the chain, or called unreadable; what is
// older than the deposit, or was paid by a stranger, pays for nothing.

const HASH: Hex = `0x${"ab".repeat(32)}`;
const PARTY: Hex = `0x${"a1".repeat(20)}`;
const OTHER: Hex = `0x${"b2".repeat(20)}`;
const SOLVER: Hex = `0x${"50".repeat(20)}`;
const POOL: Hex = `0x${"cc".repeat(20)}`;
const DEPOSITORY: Hex = `0x${"de".repeat(20)}`;
const TOKEN: Hex = `0x${"70".repeat(20)}`;
const ORDER = "0d".repeat(32);
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const word = (value: bigint | string) =>
	`0x${String(BigInt(value).toString(16)).padStart(64, "0")}`;
const log = (to: string, raw: bigint, more: object = {}) => ({
	...{ address: TOKEN, topics: [TRANSFER, word(SOLVER), word(to)], data: word(raw) },
	...{ logIndex: "0x3", ...more },
});
const receipt = (more: object = {}) => ({
	...{ transactionHash: HASH, status: "0x1", blockNumber: "0x10", transactionIndex: "0x2" },
	...{ logs: [], ...more },
});
const sent = (more: object = {}) => ({
	...{ hash: HASH, from: SOLVER, to: OTHER, value: "0x0", input: "0x", gas: "0x5208", ...more },
});
const { signal } = new AbortController();

async function read(
	answers: Record<string, unknown>,
	proof: Partial<Proof> = {},
	isCoinWanted = true,
) {
	const reader = async (method: string, params: readonly unknown[]) => {
		const key = method === "eth_getBalance" ? `${method} ${params[1]}` : method;
		if (answers[key] instanceof Error) throw answers[key];
		if (method === "eth_getBlockByNumber" && answers[key] === undefined) {
			return { timestamp: "0x64", transactions: [] };
		}
		return answers[key] ?? null;
	};
	return await readPayments(reader, {
		...{ chainId: 1, hash: HASH, parties: [PARTY], isCoinWanted, signal },
		proof: {
			...{ payers: new Set([SOLVER]), marks: [ORDER], owners: new Set([PARTY]) },
			...{ isAfter: () => true, ...proof },
		},
	});
}
const told = (logs: object[], transaction: object = {}) => ({
	eth_getTransactionReceipt: receipt({ logs }),
	eth_getTransactionByHash: sent(transaction),
});
const grown = { "eth_getBalance 0xf": "0x5", "eth_getBalance 0x10": "0x9" };

test("tokens are each of their transfers to the party, and nothing that looks like one", async () => {
	const found = await read(
		told([
			...[log(PARTY, 3n), log(PARTY, 4n, { logIndex: "0x4" }), log(OTHER, 9n)],
			log(PARTY, 50n, { topics: [TRANSFER, word(SOLVER), word(PARTY), word(1n)] }),
			log(PARTY, 60n, { topics: [TRANSFER, word(SOLVER)] }),
			...[log(PARTY, 70n, { data: "0x07" }), log(PARTY, 0n, { logIndex: "0x9" })],
		]),
	);
	const base = { chainId: 1, hash: HASH, block: 16n, party: PARTY, currency: TOKEN };
	expect(found).toEqual({
		kind: "read",
		payments: [
			{ ...base, logIndex: 3, raw: 3n },
			{ ...base, logIndex: 4, raw: 4n },
		],
	});
});

test("a stranger's payment, and what an owner's addresses move, are foreign", async () => {
	const by = (payer: string) => ({ topics: [TRANSFER, word(payer), word(PARTY)] });
	for (const [payer, from] of [
		...[[OTHER, OTHER] as const, [POOL, OTHER] as const],
		...[[PARTY, SOLVER] as const],
	]) {
		const found = await read(told([log(PARTY, 5n, by(payer))], { from }));
		expect([payer, from, found.kind]).toEqual([payer, from, "foreign"]);
	}
	const coin = { from: OTHER, to: PARTY, value: "0x64" };
	expect((await read(told([], coin))).kind).toBe("foreign");
	// A pool pays in a transaction of the solver's, and anybody with the order's id.
	const swapped = await read(told([log(PARTY, 5n, by(POOL))]));
	const byHand = told([log(PARTY, 5n, by(OTHER))], { from: OTHER, input: `0x${ORDER}` });
	// Old states are asked for where the coin may be what ends the order, and not else.
	expect((await read(byHand)).kind).toBe("unreadable");
	const marked = await read(byHand, {}, false);
	for (const found of [swapped, marked]) expect(found).toMatchObject({ payments: [{ raw: 5n }] });
});

test("a payment before the deposit is foreign, whoever paid it", async () => {
	const places: unknown[] = [];
	const found = await read(told([log(PARTY, 5n)]), {
		isAfter: (place) => places.push(place) === 0,
	});
	expect(found.kind).toBe("foreign");
	expect(places).toEqual([{ block: 16n, index: 2n, atS: 100n }]);
});

test("a coin is the transaction's value, or what the party had more behind its block", async () => {
	const direct = await read(told([], { to: PARTY, value: "0x64" }));
	const base = { chainId: 1, hash: HASH, block: 16n, party: PARTY, currency: ZERO_ADDRESS };
	expect(direct).toEqual({
		...{ kind: "read", payments: [{ ...base, logIndex: OWN_COIN, raw: 100n }] },
	});
	const inner = told([], { input: `0x${PARTY.slice(2)}` });
	expect(await read({ ...inner, ...grown })).toEqual({
		...{ kind: "read", payments: [{ ...base, logIndex: GROWN_COIN, raw: 4n }] },
	});
	const less = { "eth_getBalance 0xf": "0x9", "eth_getBalance 0x10": "0x5" };
	expect(await read({ ...inner, ...less })).toMatchObject({ payments: [] });
	// A call that does not name the party, and one of a stranger's, did not make it grow.
	expect(await read({ ...told([]), ...grown })).toMatchObject({ payments: [] });
	const strange = told([], { from: OTHER, input: `0x${PARTY.slice(2)}` });
	expect(await read({ ...strange, ...grown })).toMatchObject({ payments: [] });
});

test("payments of the block's other transactions do not count in the coin's growth", async () => {
	const others = [sent({ hash: `0x${"cd".repeat(32)}`, from: OTHER, to: PARTY, value: "0x3" })];
	const inner = told([], { input: `0x${PARTY.slice(2)}` });
	const block = { timestamp: "0x64", transactions: others };
	const found = await read({ ...inner, ...grown, eth_getBlockByNumber: block });
	expect(found).toMatchObject({ payments: [{ raw: 1n }] });
});

const NAMED = `0x${PARTY.slice(2)}`;
const MARKED = `0x${ORDER}`;
const DEPOSIT = `0x49290c1c${"0".repeat(128)}`;
/** What is read of a transaction beside another one of its block, whose balance grew by 4. */
async function besides(transaction: object, other: object | null, block: object = {}) {
	const transactions = other ? [sent({ hash: `0x${"cd".repeat(32)}`, ...other })] : [];
	const shown = { timestamp: "0x64", transactions, ...block };
	const payers = new Set([SOLVER, DEPOSITORY]);
	return await read(
		{ ...told([], transaction), ...grown, eth_getBlockByNumber: shown },
		{ payers },
	);
}
const SYSTEM = "0x00000000000000000000000000000000000a4b05";

test.each([
	["an unnamed call of a stranger's", { from: OTHER, to: POOL, input: "0xab" }, true, false],
	["a call without calldata", { from: OTHER, to: POOL }, true, false],
	["a call of the depository", { from: OTHER, to: DEPOSITORY, gas: "0x9999" }, true, true],
	["coin to the solver", { from: OTHER, to: SOLVER, value: "0x1", input: "0xab" }, true, false],
	["a call that names the party", { from: OTHER, to: POOL, input: NAMED }, true, true],
	["another one of the solver's about it", { from: SOLVER, to: POOL, input: NAMED }, true, true],
	["a transaction of the party's", { from: PARTY, to: POOL }, true, true],
	["a call of the party", { from: OTHER, to: PARTY, input: "0xab" }, true, true],
	["a new contract", { from: OTHER, to: null, input: "0xab" }, true, false],
	["coin to somebody, with gas for more", { to: POOL, value: "0x1", gas: "0x9999" }, true, false],
	["coin to somebody, with unknown gas", { to: POOL, value: "0x1", gas: undefined }, true, false],
	["a plain transfer to somebody", { from: OTHER, to: POOL, value: "0x1" }, false, false],
	["a deposit of somebody's", { from: OTHER, to: DEPOSITORY, input: DEPOSIT }, false, false],
	["the chain's own first transaction", { from: SYSTEM, to: POOL, input: "0xab" }, false, false],
	["nothing else", null, false, false],
])(
	"a coin's growth beside %s is in doubt where that may have paid it",
	async (_, other, plain, marked) => {
		for (const [input, isDoubt] of [
			[NAMED, plain],
			[MARKED, marked],
		] as const) {
			const found = await besides({ input }, other);
			const doubt = isDoubt ? expect.stringContaining("Another transaction") : undefined;
			expect(found).toEqual({
				kind: "read",
				payments: [expect.objectContaining({ logIndex: GROWN_COIN, raw: 4n })],
			});
			expect((found as any).payments[0].doubt).toEqual(doubt);
		}
	},
);

test("a coin's growth is in doubt where a stranger called the depository, or the block itself pays", async () => {
	const strange = { from: OTHER, to: DEPOSITORY, input: NAMED };
	const doubt = expect.stringContaining("Somebody else called");
	expect(await besides(strange, null)).toMatchObject({ payments: [{ raw: 4n, doubt }] });
	for (const block of [{ miner: PARTY }, { withdrawals: [{ address: PARTY }] }]) {
		const found = await besides({ input: MARKED }, null, block);
		expect(found).toMatchObject({ payments: [{ doubt: expect.stringContaining("Another") }] });
	}
});

test("a log with the order's id binds the coin where a contract of the provider's wrote it", async () => {
	const block = { timestamp: "0x64", transactions: [] };
	for (const [address, count] of [
		[DEPOSITORY, 1],
		[POOL, 0],
	] as const) {
		const logs = [log(OTHER, 1n, { address, topics: [MARKED] })];
		const found = await read(
			{ ...told(logs, { from: OTHER }), ...grown, eth_getBlockByNumber: block },
			{ payers: new Set([SOLVER, DEPOSITORY]) },
		);
		expect((found as any).payments).toHaveLength(count);
	}
});

test("a transaction that is absent, failed or unreadable has its own answer", async () => {
	expect(await read({})).toEqual({ kind: "absent" });
	const reverted = { ...told([]), eth_getTransactionReceipt: receipt({ status: "0x0" }) };
	expect(await read(reverted)).toEqual({ kind: "reverted" });
	for (const odd of [
		...[new Error("away"), {}, 7, "0x", receipt({ transactionHash: word(1n) })],
		...[receipt({ status: "yes" }), receipt({ logs: null }), receipt({ blockNumber: 16 })],
	]) {
		const found = await read({ ...told([]), eth_getTransactionReceipt: odd });
		expect(found).toEqual({ kind: "unreadable" });
	}
	const inner = told([], { input: `0x${PARTY.slice(2)}` });
	const pruned = { "eth_getBalance 0xf": new Error("pruned"), "eth_getBalance 0x10": "0x9" };
	expect(await read({ ...inner, ...pruned })).toEqual({ kind: "unreadable" });
	expect(await read({ ...told([]), eth_getBlockByNumber: {} })).toEqual({ kind: "unreadable" });
	const [chainId, hash, parties, isCoinWanted] = [1, HASH, [PARTY], true];
	const proof = { payers: null, marks: [], owners: new Set<Hex>(), isAfter: () => true };
	const nobody = await readPayments(null, { chainId, hash, parties, isCoinWanted, proof, signal });
	expect(nobody).toEqual({ kind: "unreadable" });
});
