import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { encodeAbiParameters, stringToHex } from "viem";
import type { Address } from "#core/chain/Hex.ts";
import { rpcFault } from "#core/chain/rpc/faults.ts";
import { currencyMetadataTask } from "#plugins/market-index/jobs/currencyMetadataTask.ts";
import { createTaskLab } from "#plugins/market-index/jobs/testing/taskLab.ts";
import { readCurrencies } from "#plugins/market-index/sql/readCurrencies.ts";
import {
	base,
	contractOf,
	createMarketFixture,
	ethereum,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
let lab: ReturnType<typeof createTaskLab>["lab"];
let run: (address: Address) => Promise<void>;
let next = 0x900;

beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() => {
	const made = createTaskLab(database.db);
	lab = made.lab;
	const task = currencyMetadataTask(made.core);
	run = (address) => {
		const payload = task.payload.parse({ chainId: ethereum.id, address });
		return task.run(payload, { signal: lab.signal });
	};
});

const SYMBOL = "0x95d89b41";
const DECIMALS = "0x313ce567";
const text = (value: string) => encodeAbiParameters([{ type: "string" }], [value]);
const uint = (value: bigint) => encodeAbiParameters([{ type: "uint256" }], [value]);

/** A coin that a sale was paid with. */
async function paidWith(): Promise<Address> {
	const currency = contractOf(++next);
	const fixture = createMarketFixture(database.db, [ethereum, base]);
	await fixture.seed(ethereum, [saleOf(contractOf(1), { currency })]);
	await fixture.seed(base, [saleOf(contractOf(1), { currency })]);
	return currency;
}

const read = async (address: Address, chain = ethereum) =>
	(await readCurrencies(database.db, chain.id, [address])).get(address);

test("symbol and decimals are those of the contract, on its own chain", async () => {
	const coin = await paidWith();
	expect(await read(coin)).toEqual({ symbol: null, decimals: null });
	lab.answers = { [SYMBOL]: text("USDC"), [DECIMALS]: uint(6n) };
	await run(coin);
	expect(await read(coin)).toEqual({ symbol: "USDC", decimals: 6 });
	expect(await read(coin, base)).toEqual({ symbol: null, decimals: null });
	lab.answers = {};
	await run(coin);
	expect(await read(coin)).toEqual({ symbol: "USDC", decimals: 6 });
});

test("a symbol is one short line that can be stored, cut between characters", async () => {
	const symbols: [string, string | null][] = [
		[stringToHex("MKR", { size: 32 }), "MKR"],
		[text("U\u0000S\u202eD"), "U S D"],
		[text("😀".repeat(40)), "😀".repeat(32)],
		[text(`${"x".repeat(31)} y`), "x".repeat(31)],
		[text(""), null],
		["0x00", null],
	];
	for (const [answer, symbol] of symbols) {
		const coin = await paidWith();
		lab.answers = { [SYMBOL]: answer, [DECIMALS]: uint(0n) };
		await run(coin);
		expect(await read(coin)).toEqual({ symbol, decimals: 0 });
	}
});

test("decimals that no amount can have are unknown, and never a wrong price", async () => {
	for (const [answer, decimals] of [
		[uint(77n), 77],
		[uint(78n), null],
		[uint(2n ** 256n - 1n), null],
		[text("18"), null],
	] as const) {
		const coin = await paidWith();
		lab.answers = { [DECIMALS]: answer };
		await run(coin);
		expect(await read(coin)).toEqual({ symbol: null, decimals });
	}
});

test("silence stores nothing and is tried again", async () => {
	const coin = await paidWith();
	const fault = rpcFault.transport();
	lab.answers = {
		[SYMBOL]: text("HALF"),
		[DECIMALS]: () => {
			throw fault;
		},
	};
	await expect(run(coin)).rejects.toBe(fault);
	expect(await read(coin)).toEqual({ symbol: null, decimals: null });
});

test("a chain taken out of CHAINS is looked for again in a day", async () => {
	const coin = await paidWith();
	lab.away = true;
	await run(coin);
	const payload = { chainId: ethereum.id, address: coin };
	expect(lab.jobs).toMatchObject([{ payload, delayMs: 86_400_000 }]);
});

test("a payload that names no address is no job", () => {
	const { payload } = currencyMetadataTask(createTaskLab(database.db).core);
	for (const address of ["0x", contractOf(1).toUpperCase(), `${contractOf(1)}00`, "x"]) {
		expect(payload.safeParse({ chainId: 1, address }).success).toBe(false);
	}
});
