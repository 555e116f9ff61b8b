import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type Address, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { rpcFault } from "#core/chain/rpc/Rpc.ts";
import { expectBooks } from "#plugins/tokenomics/testing/expectBooks.ts";
import {
	BURNER,
	createFakeTokenChain,
	type FakeTokenChain,
	KEEPER,
	NO_SOURCE,
	OWNER,
	SUPPLY,
	TOKEN,
	USDG,
} from "#plugins/tokenomics/testing/fakeTokenChain.ts";
import { FINAL_DEPTH, openLedgerLab } from "#plugins/tokenomics/testing/openLedgerLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

const TRADING: Hex = `0x${Buffer.from("trading").toString("hex").padEnd(64, "0")}`;
const PERSON: Address = `0x${"ad".repeat(20)}`;

let database: TestDatabase;
let chain: FakeTokenChain;
let lab: ReturnType<typeof openLedgerLab>;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	chain = createFakeTokenChain();
	lab = openLedgerLab({ db: database.db, rpc: chain.rpc });
	await lab.clear();
});

const deposit = (amount: bigint, source = NO_SOURCE, currency = ZERO_ADDRESS) =>
	({ kind: "deposit", source, currency, amount }) as const;
const burn = (burned: bigint) =>
	({ kind: "burn", paidWith: ZERO_ADDRESS, spent: 10n, burned }) as const;
const give = (to: Address, amount: bigint) =>
	({ kind: "transfer", from: OWNER, to, amount }) as const;

/** The ledger is what the chain was at the last final block. */
async function expectEqual(): Promise<void> {
	const books = await lab.books();
	expect(books.readTo).toBe(chain.head() - FINAL_DEPTH);
	expectBooks(books, chain);
}

test("the ledger records final events only", async () => {
	chain.mine([deposit(10_000n), deposit(7n, TRADING, USDG), give(PERSON, 5n)]);
	chain.mine([burn(1_000n), { kind: "release", bucket: 2, currency: ZERO_ADDRESS }]);
	chain.mineEmpty(FINAL_DEPTH);
	chain.mine([deposit(1n), burn(77n)]);
	await lab.run();
	await expectEqual();
	const { entries, totals } = await lab.books();
	expect(entries.get("buyback_burned")).toBe(1);
	expect(totals.get(`earned ${ZERO_ADDRESS} 0`)?.amount).toBe(3_500n);
	chain.mineEmpty(FINAL_DEPTH);
	await lab.run();
	await expectEqual();
	expect((await lab.books()).entries.get("buyback_burned")).toBe(2);
});

test("the ledger carries rounding remainders over labels and splits, to the same amounts as the router", async () => {
	for (let count = 0; count < 40; count += 1) chain.mine([deposit(1n), deposit(3n, TRADING)]);
	chain.mine([{ kind: "split", source: TRADING, bps: [1, 9_997, 1, 1] }]);
	for (let count = 0; count < 40; count += 1) chain.mine([deposit(1n), deposit(3n, TRADING)]);
	chain.mine([{ kind: "split", source: NO_SOURCE, bps: [0, 0, 10_000, 0] }, deposit(9n)]);
	chain.mineEmpty(FINAL_DEPTH);
	await lab.run({ compare: true });
	await expectEqual();
	expect(lab.said).toEqual([]);
	const { agreedTo, entries } = await lab.books();
	expect(agreedTo).toBe(chain.head() - FINAL_DEPTH);
	expect(entries.get("split_set")).toBe(3);
});

test("deposits under a hundred labels earn what one label earns, also after a reorg", async () => {
	const label = (index: number): Hex => `0x${index.toString(16).padStart(64, "1")}`;
	for (let index = 0; index < 60; index += 1) chain.mine([deposit(1n, label(index))]);
	chain.mineEmpty(FINAL_DEPTH);
	await lab.run({ compare: true });
	chain.mine([{ kind: "split", source: label(7), bps: [1, 9_997, 1, 1] }, deposit(3n, label(7))]);
	chain.mineEmpty(FINAL_DEPTH);
	await lab.run();
	await expectEqual();
	chain.reorg(FINAL_DEPTH + 1);
	for (let index = 60; index < 100; index += 1) chain.mine([deposit(1n, label(index))]);
	chain.mineEmpty(FINAL_DEPTH);
	await lab.run({ compare: true });
	await expectEqual();
	const { totals, agreedTo } = await lab.books();
	const earned = [0, 1, 2, 3].map(
		(bucket) => totals.get(`earned ${ZERO_ADDRESS} ${bucket}`)?.amount,
	);
	expect(earned).toEqual([35n, 15n, 20n, 30n]);
	expect(agreedTo).toBe(chain.head() - FINAL_DEPTH);
});

test("the ledger never contains events that a reorg above the final depth removes", async () => {
	chain.mine([burn(5n)]);
	chain.mineEmpty(FINAL_DEPTH - 1);
	await lab.run();
	chain.reorg(FINAL_DEPTH);
	chain.mine([burn(6n), burn(7n)]);
	chain.mineEmpty(FINAL_DEPTH);
	await lab.run();
	await expectEqual();
	expect(lab.said).toEqual([]);
});

test("after final blocks were lost the ledger is read again from the last agreement, with an alert", async () => {
	chain.mine([deposit(500n), give(PERSON, 50n)]);
	chain.mineEmpty(FINAL_DEPTH);
	await lab.run();
	chain.mine([burn(5n), deposit(11n), give(PERSON, 1n)]);
	chain.mineEmpty(FINAL_DEPTH);
	await lab.run();
	await expectEqual();
	chain.reorg(FINAL_DEPTH + 1);
	chain.mine([burn(6n), deposit(13n), give(KEEPER, 1n)]);
	chain.mineEmpty(FINAL_DEPTH + 2);
	await lab.run();
	await expectEqual();
	expect(lab.said).toEqual(Array(3).fill("final blocks left the chain"));
	expect(await lab.degraded()).toEqual([]);
});

test("the ledger reports that figures are being rebuilt while the chain is shorter after a rollback", async () => {
	const state = async () => {
		const rows = await database.db.query<{ readAt: Date | null; since: Date | null }>(
			`select read_at as "readAt", rebuilds_since as since from tokenomics.followed`,
		);
		return {
			isFresh: rows.every(({ readAt }) => readAt?.getTime() === lab.clock.ms),
			isRebuilding: rows.some(({ since }) => since !== null),
			codes: (await lab.degraded()).map(({ code }) => code),
		};
	};
	chain.mine([deposit(500n), give(PERSON, 50n)]);
	chain.mineEmpty(FINAL_DEPTH);
	await lab.run({ compare: true });
	chain.mineEmpty(60);
	chain.mine([burn(5n), deposit(11n)]);
	chain.mineEmpty(FINAL_DEPTH + 55);
	await lab.run();
	await expectEqual();
	expect(await state()).toEqual({ isFresh: true, isRebuilding: false, codes: [] });
	const head = chain.head();

	chain.reorg(120);
	lab.clock.ms += 15_000;
	await lab.run();
	// The old chain's figures are nobody's word any more, though there is nothing to read yet.
	expect(await state()).toEqual({
		...{ isFresh: false, isRebuilding: true, codes: ["token_ledger_rebuilding"] },
	});
	for (let step = 0; chain.head() < head - FINAL_DEPTH - 1; step += 1) {
		chain.mine(step === 3 ? [burn(7n)] : []);
		lab.clock.ms += 15_000;
		if (step % 10 === 0) await lab.run();
		expect((await state()).isRebuilding).toBe(true);
	}
	// As soon as the chain has a block at that place, the other one is known to be gone.
	chain.mineEmpty(2);
	await lab.run();
	await lab.run();
	await expectEqual();
	expect(await state()).toEqual({ isFresh: true, isRebuilding: false, codes: [] });
	expect((await lab.books()).entries.get("buyback_burned")).toBe(1);
});

test("a node that is behind does not change the ledger, nor the time up to which it was read", async () => {
	chain.mine([deposit(500n)]);
	chain.mineEmpty(FINAL_DEPTH + 5);
	await lab.run();
	const atMs = lab.clock.ms;
	const behind = `0x${(chain.head() - 3).toString(16)}`;
	chain.tamper.of = ({ method }, answer) => (method === "eth_blockNumber" ? behind : answer);
	lab.clock.ms += 60_000;
	await lab.run();
	const rows = await database.db.query<{ readAt: Date }>(
		`select read_at as "readAt" from tokenomics.followed`,
	);
	expect(rows.map(({ readAt }) => readAt.getTime())).toEqual([atMs, atMs, atMs]);
	expect(lab.said).toEqual([]);
	await expectEqual();
});

describe("a node's false answer is found by the comparison, and its events are read again:", () => {
	type Lie = [what: string, of: (logs: any[]) => any[]];
	const lies: Lie[] = [
		["it leaves out revenue", (logs) => logs.filter(({ topics }) => topics.length !== 4)],
		["it leaves out a burn", (logs) => logs.filter(({ address }) => address !== BURNER)],
		["it leaves out a transfer", (logs) => logs.filter(({ address }) => address !== TOKEN)],
		[
			"it makes amounts larger",
			(logs) =>
				logs.map((log) =>
					log.address === TOKEN ? { ...log, data: log.data.replace(/.$/, "f") } : log,
				),
		],
	];
	for (const [what, lie] of lies) {
		test(what, async () => {
			chain.mineEmpty(FINAL_DEPTH);
			await lab.run();
			expect((await lab.books()).agreedTo).toBe(0);
			chain.mine([deposit(500n), give(PERSON, 50n), burn(64n)]);
			chain.mineEmpty(FINAL_DEPTH);
			chain.tamper.of = ({ method }, answer) =>
				method === "eth_getLogs" ? lie(answer as any[]) : answer;
			await lab.run();
			chain.tamper.of = (_, answer) => answer;
			lab.clock.ms += 3_600_000;
			await lab.run();
			expect(lab.said.length).toBeGreaterThan(0);
			await expectEqual();
			expect(await lab.degraded()).toEqual([]);
			const { body } = await lab.metrics.expose();
			expect(body).toMatch(/token_ledger_differences_total\{contract="[a-z]+"\} [1-9]/);
		});
	}

	test("while a node's answers are false, the service reports it, and reads all events again each hour", async () => {
		chain.mine([deposit(500n)]);
		chain.mineEmpty(FINAL_DEPTH);
		chain.tamper.of = ({ method }, answer) =>
			method === "eth_getLogs"
				? (answer as any[]).filter(({ topics }) => topics.length !== 4)
				: answer;
		await lab.run();
		expect(await lab.degraded()).toMatchObject([{ code: "token_ledger_differs", count: 1 }]);
		const said = lab.said.length;
		chain.tamper.of = (_, answer) => answer;
		await lab.run();
		expect(lab.said).toHaveLength(said);
		lab.clock.ms += 3_600_000;
		await lab.run();
		await expectEqual();
		expect(await lab.degraded()).toEqual([]);
	});
});

test("a process that ends at any moment leaves each event in the ledger once", async () => {
	for (let round = 0; round < 4; round += 1) {
		chain.mine([deposit(10n + BigInt(round)), burn(3n), give(PERSON, 2n)]);
		chain.mineEmpty(FINAL_DEPTH);
		for (const moment of ["before_commit", "in_commit", "after_commit"]) {
			lab.state.observe = async (step) => {
				if (step === moment) throw new Error("the process ends");
			};
			await expect(lab.run()).rejects.toThrow("the process ends");
		}
		lab.state.observe = async () => {};
		await lab.run();
		await expectEqual();
	}
});

test("two simultaneous processes write each event once", async () => {
	const other = openLedgerLab({ db: database.db, rpc: chain.rpc });
	for (let round = 0; round < 5; round += 1) {
		chain.mine([deposit(10n), burn(3n), give(PERSON, 2n)]);
		chain.mineEmpty(3);
		await Promise.all([lab.run({ compare: true }), other.run({ compare: true })]);
	}
	chain.mineEmpty(FINAL_DEPTH);
	await Promise.all([lab.run(), other.run()]);
	await expectEqual();
	expect([...lab.said, ...other.said]).toEqual([]);
});

test("a contract whose first block is corrected to an earlier one is read from there", async () => {
	const { contracts } = lab.state;
	if (!contracts) throw new Error("they are named");
	chain.mine([deposit(10n)]);
	chain.mineEmpty(FINAL_DEPTH);
	lab.state.contracts = { ...contracts, fromBlock: 1 };
	await lab.run();
	expect(lab.said.length).toBeGreaterThan(0);
	lab.state.contracts = contracts;
	await lab.run();
	await expectEqual();
});

test("burns of a replaced burner cause no difference in the comparison", async () => {
	const { contracts } = lab.state;
	if (!contracts) throw new Error("they are named");
	chain.mine([burn(64n)]);
	chain.mineEmpty(FINAL_DEPTH);
	await lab.run();
	lab.state.contracts = { ...contracts, burner: `0x${"73".repeat(20)}` };
	chain.mine([burn(5n)]);
	chain.mineEmpty(FINAL_DEPTH);
	await lab.run({ compare: true });
	// Named again its events are read from where they were left, and are what it burned meanwhile.
	lab.state.contracts = contracts;
	await lab.run({ compare: true });
	await lab.run({ compare: true });
	expect(lab.said).toEqual([]);
	expect(await lab.degraded()).toEqual([]);
});

test("the ledger gives no time as complete while a part of the final events is missing", async () => {
	const times = () =>
		database.db.query("select 1 from tokenomics.followed where read_at is not null");
	chain.mine([deposit(10n)]);
	chain.mineEmpty(20);
	chain.tamper.of = ({ method, params }, answer) => {
		const [range] = params as [{ fromBlock: string; toBlock: string }];
		const isWide = method === "eth_getLogs" && Number(range.toBlock) - Number(range.fromBlock) > 5;
		if (isWide) throw rpcFault.range();
		return answer;
	};
	let commits = 0;
	lab.state.observe = async (step) => {
		commits += step === "before_commit" ? 1 : 0;
		if (commits > 1) throw new Error("the process ends");
	};
	await expect(lab.run()).rejects.toThrow("the process ends");
	expect((await lab.books()).readTo).toBeGreaterThan(0);
	expect(await times()).toEqual([]);
	lab.state.observe = async () => {};
	await lab.run();
	expect(await times()).toHaveLength(3);
	// What is taken back is of no moment either, until it is read again.
	chain.reorg(FINAL_DEPTH + 1);
	chain.mineEmpty(FINAL_DEPTH + 2);
	lab.state.observe = async (step) => {
		if (step === "before_commit") throw new Error("the process ends");
	};
	await expect(lab.run()).rejects.toThrow("the process ends");
	expect(await times()).toEqual([]);
});

test("operators are also alerted about a ledger that was never read", async () => {
	expect(await lab.degraded()).toEqual([]);
	lab.clock.ms += 901_000;
	expect(await lab.degraded()).toMatchObject([{ code: "token_ledger_behind", count: 3 }]);
	lab.clock.ms += 3 * 3_600_000;
	expect((await lab.degraded()).map(({ code }) => code)).toEqual([
		...["token_ledger_behind", "token_ledger_unchecked"],
	]);
	chain.mineEmpty(FINAL_DEPTH);
	await lab.run();
	expect(await lab.degraded()).toEqual([]);
});

test("the ledger reads nothing before the token is launched", async () => {
	lab.state.contracts = null;
	await lab.run();
	expect(chain.asked).toEqual([]);
	expect(await lab.degraded()).toEqual([]);
});

test("operators are alerted when nodes do not answer for a quarter of an hour", async () => {
	chain.mineEmpty(FINAL_DEPTH);
	await lab.run();
	lab.clock.ms += 901_000;
	expect(await lab.degraded()).toMatchObject([{ code: "token_ledger_behind", count: 3 }]);
	lab.clock.ms += 3 * 3_600_000;
	const codes = (await lab.degraded()).map(({ code }) => code);
	expect(codes).toEqual(["token_ledger_behind", "token_ledger_unchecked"]);
});

test("the ledger counts holders, without accounts whose balance is zero", async () => {
	chain.mine([give(PERSON, 5n)]);
	chain.mine([{ kind: "transfer", from: PERSON, to: KEEPER, amount: 5n }]);
	chain.mineEmpty(FINAL_DEPTH);
	await lab.run();
	const { holders, totals } = await lab.books();
	expect(holders.has(PERSON)).toBe(false);
	expect(totals.get(`holders ${ZERO_ADDRESS} -1`)?.entries).toBe(holders.size);
	expect([...holders.values()].reduce((sum, one) => sum + one)).toBe(SUPPLY);
});
