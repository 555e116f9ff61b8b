import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Address, Hex } from "#core/chain/Hex.ts";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { expectBooks } from "#plugins/tokenomics/testing/expectBooks.ts";
import {
	type Act,
	createFakeTokenChain,
	NO_SOURCE,
	OWNER,
	USDG,
} from "#plugins/tokenomics/testing/fakeTokenChain.ts";
import { FINAL_DEPTH, openLedgerLab } from "#plugins/tokenomics/testing/openLedgerLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { TEST_SEED } from "#test/harness/testSeed.ts";
import { createPrng } from "#test/sandbox/createPrng.ts";

// Guarantee: whatever chain, nodes and process do, the ledger is what is final on chain.

const SEEDS = process.env.PROVE === "1" ? 300 : 8;
const ROUNDS = 12;
const SOURCES: Hex[] = [NO_SOURCE, `0x${"11".repeat(32)}`, `0x${"22".repeat(32)}`];
const PEOPLE: Address[] = [`0x${"a1".repeat(20)}`, `0x${"a2".repeat(20)}`, `0x${"a3".repeat(20)}`];

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());

for (let index = 0; index < SEEDS; index += 1) {
	const seed = TEST_SEED + index;
	test(`the ledger equals the chain after forks, false answers and crashes (TEST_SEED=${seed})`, async () => {
		const chain = createFakeTokenChain();
		const lab = openLedgerLab({ db: database.db, rpc: chain.rpc });
		await lab.clear();
		const random = createPrng(seed);
		const below = random.int;
		const { pick } = random;
		for (let round = 0; round < ROUNDS; round += 1) {
			for (let block = below(6); block > 0; block -= 1) chain.mine(actsOf({ below, pick }));
			if (below(4) === 0) {
				const depth = Math.min(1 + below(FINAL_DEPTH), chain.head() - 1);
				chain.reorg(depth);
				for (let block = depth + below(2); block > 0; block -= 1)
					chain.mine(actsOf({ below, pick }));
			}
			await misbehave({ chain, lab, below });
			lab.clock.ms += below(2_000_000);
		}
		chain.tamper.of = (_, answer) => answer;
		lab.state.observe = async () => {};
		chain.mineEmpty(FINAL_DEPTH);
		for (let hour = 0; hour < 3; hour += 1) {
			lab.clock.ms += 24 * 3_600_000;
			await lab.run({ compare: true });
		}
		const books = await lab.books();
		expect(books.readTo).toBe(chain.head() - FINAL_DEPTH);
		expect(books.agreedTo).toBe(books.readTo);
		expectBooks(books, chain);
		expect(await lab.degraded()).toEqual([]);
	});
}

type Draw = { below(count: number): number; pick<Value>(from: readonly Value[]): Value };

function actsOf({ below, pick }: Draw): Act[] {
	const currency = () => pick([ZERO_ADDRESS, USDG]);
	return Array.from({ length: below(4) }, (): Act => {
		switch (below(8)) {
			case 0: {
				const first = below(10_001);
				const second = below(10_001 - first);
				return {
					...{ kind: "split", source: pick(SOURCES) },
					bps: [first, second, 10_000 - first - second, 0],
				};
			}
			case 1:
				return { kind: "release", bucket: below(4), currency: currency() };
			case 2:
				return {
					...{ kind: "burn", paidWith: currency(), spent: BigInt(1 + below(1_000)) },
					burned: BigInt(1 + below(1_000_000)),
				};
			case 3:
			case 4:
				return { kind: "transfer", from: OWNER, to: pick(PEOPLE), amount: BigInt(below(1_000)) };
			default: {
				const amount = BigInt(1 + below(pick([3, 1_000_000])));
				return { kind: "deposit", source: pick(SOURCES), currency: currency(), amount };
			}
		}
	});
}

/** Runs the job while a node lies, refuses, or the process ends in the middle. */
async function misbehave(world: {
	chain: ReturnType<typeof createFakeTokenChain>;
	lab: ReturnType<typeof openLedgerLab>;
	below(count: number): number;
}): Promise<void> {
	const { chain, lab, below } = world;
	const what = below(6);
	const moment = ["before_commit", "in_commit", "after_commit"][below(3)];
	chain.tamper.of = ({ method }, answer) => {
		if (what === 0 && method === "eth_getLogs") return (answer as any[]).filter(() => below(3) > 0);
		if (what === 1 && below(4) === 0) throw new Error("the node is away");
		return answer;
	};
	lab.state.observe = async (step) => {
		if (what === 2 && step === moment) throw new Error("the process ends");
	};
	await lab.run().catch((error: Error) => {
		expect(error.message).toMatch(/the node is away|the process ends/);
	});
	lab.state.observe = async () => {};
	chain.tamper.of = (_, answer) => answer;
}
