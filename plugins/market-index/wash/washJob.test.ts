import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { inProcessBus } from "#core/bus.ts";
import { bytesOf } from "#core/chain/Hex.ts";
import { silentLog } from "#core/log.ts";
import { createOutbox } from "#core/outbox.ts";
import { DAY_MS, HOUR_MS } from "#core/time.ts";
import { createApplierLab } from "#plugins/market-index/apply/testing/applierLab.ts";
import type { NewEvent } from "#plugins/market-index/model.ts";
import { repricePart } from "#plugins/market-index/reprice/createRepricer.ts";
import {
	contractOf,
	ETH,
	ethereum,
	NOW_MS,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { createDice, STRANGE_COIN } from "#plugins/market-index/testing/randomTrades.ts";
import { readWashSums } from "#plugins/market-index/wash/sql.ts";
import { washJob } from "#plugins/market-index/wash/washJob.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { TEST_SEED } from "#test/harness/testSeed.ts";

/** Worlds of one round share a chain, and so its forks. */
const WORLDS_PER_ROUND = 20;
const ROUNDS = process.env["PROVE"] === "1" ? 100 : 10;
const WINDOW_MS = 7 * DAY_MS;
const { signal } = new AbortController();

let database: TestDatabase;
let lab: ReturnType<typeof createApplierLab>;

beforeAll(async () => {
	database = await createTestDatabase();
	lab = createApplierLab(database.db);
});
afterAll(() => database.drop());
beforeEach(() => lab.clear());

type Flag = { reason: string; completedAtMs: number; wei: bigint };
type Sale = Required<NewEvent>;

const judge = (sliceSales = 500) =>
	washJob({ db: database.db, clock: { nowMs: () => NOW_MS }, sliceSales }).run({ signal });

const keyOf = (place: { occurredAtMs: number; blockNumber: number; logIndex: number }) =>
	`${place.occurredAtMs}/${place.blockNumber}/${place.logIndex}`;

/** Judges again what the rules say, from their words: every two and three sales of each token. */
function flagsOf(all: readonly Sale[], priceOf: (sale: Sale) => bigint): Map<string, Flag> {
	const flags = new Map<string, Flag>();
	for (const sales of Map.groupBy(all, ({ tokenId }) => tokenId).values()) {
		const inOrder = sales.toSorted(
			(a, b) =>
				a.occurredAtMs - b.occurredAtMs || a.blockNumber - b.blockNumber || a.logIndex - b.logIndex,
		);
		for (const last of inOrder) {
			const before = inOrder.slice(0, inOrder.indexOf(last));
			const near = before.filter((sale) => last.occurredAtMs - sale.occurredAtMs <= WINDOW_MS);
			const note = (reason: string, circle: readonly Sale[]) => {
				for (const sale of circle) {
					if (flags.has(keyOf(sale))) continue;
					const completedAtMs = last.occurredAtMs;
					flags.set(keyOf(sale), { reason, completedAtMs, wei: priceOf(sale) });
				}
			};
			for (const first of near) {
				if (first.from === last.to && first.to === last.from) note("back_and_forth", [first, last]);
			}
			for (const [index, first] of near.entries()) {
				for (const second of near.slice(index + 1)) {
					const isCircle =
						first.to === second.from && second.to === last.from && last.to === first.from;
					const accounts = new Set([first.from, second.from, last.from]);
					if (isCircle && accounts.size === 3) note("round_trip", [first, second, last]);
				}
			}
		}
	}
	return flags;
}

async function storedFlags(contract: `0x${string}`): Promise<Map<string, Flag>> {
	const rows = await database.db.query<{
		at: Date;
		blockNumber: number;
		logIndex: number;
		reason: number;
		completedAt: Date;
		wei: string | null;
	}>(
		`select w.occurred_at as at, w.block_number as "blockNumber", w.log_index as "logIndex",
			w.reason, w.completed_at as "completedAt", w.total_native as wei
		from market_index.wash_sale as w join market_index.collection as c on c.id = w.collection_id
		where c.address = $1`,
		[bytesOf(contract)],
	);
	return new Map(
		rows.map(({ at, reason, completedAt, wei, ...place }) => [
			keyOf({ ...place, occurredAtMs: at.getTime() }),
			{
				reason: reason === 1 ? "back_and_forth" : "round_trip",
				completedAtMs: completedAt.getTime(),
				wei: BigInt(wei ?? 0),
			},
		]),
	);
}

async function stateOf(contract: `0x${string}`) {
	const rows = await database.db.query<{ id: number; from: Date | null }>(
		`select id, wash_from as from from market_index.collection where address = $1`,
		[bytesOf(contract)],
	);
	return rows[0] ?? null;
}

/** Makes the sales of one world: few accounts, few tokens, so that circles are common. */
function worldOf(seed: number, contract: `0x${string}`): Sale[] {
	const dice = createDice(seed);
	const accounts = 3 + dice(3);
	const tokens = 1 + dice(4);
	const days = 1 + dice(24);
	return Array.from({ length: 6 + dice(26) }, () => {
		const from = dice(accounts);
		const to = (from + 1 + dice(accounts - 1)) % accounts;
		// Whole hours, so that some sales share a time and some circles are a week long to the second.
		const occurredAtMs = NOW_MS - dice(days * 24) * HOUR_MS;
		return saleOf(contract, {
			occurredAtMs,
			tokenId: BigInt(dice(tokens)),
			from: contractOf(0xa000 + from),
			to: contractOf(0xa000 + to),
			totalRaw: BigInt(1 + dice(900)) * (ETH / 100n),
			currency: dice(5) === 0 ? STRANGE_COIN : `0x${"0".repeat(40)}`,
			accepted: dice(12) > 0,
			standard: seed % 3 === 0 ? "erc1155" : "erc721",
		});
	});
}

/** Gives the sales paid in a strange coin their price, as when its rate becomes known. */
async function reprice(sales: readonly Sale[]): Promise<void> {
	const clock = { nowMs: () => NOW_MS };
	const options = {
		db: database.db,
		clock,
		outbox: createOutbox({ db: database.db, bus: inProcessBus(silentLog), clock }),
		scanner: { lock: async () => {} },
		spansOf: lab.options.spansOf,
	};
	await repricePart(
		options,
		ethereum,
		sales.map((sale) => ({
			...sale,
			totalRaw: sale.totalRaw ?? 0n,
			totalNative: 2n * (sale.totalRaw ?? 0n),
		})),
	);
}

async function playRound(round: number): Promise<void> {
	const dice = createDice(TEST_SEED * 7_919 + round);
	await lab.clear();
	const contracts = Array.from({ length: WORLDS_PER_ROUND }, (_, index) =>
		contractOf(0x70_000 + round * WORLDS_PER_ROUND + index),
	);
	const sales = contracts.flatMap((contract, index) =>
		worldOf(TEST_SEED * 1_000_003 + round * WORLDS_PER_ROUND + index, contract),
	);
	const known = new Set<Sale>();
	let stored: Sale[] = [];
	const priceOf = (sale: Sale) => {
		const wei = sale.totalRaw ?? 0n;
		if (sale.currency !== STRANGE_COIN) return wei;
		return known.has(sale) ? 2n * wei : 0n;
	};
	const mine = (contract: string) =>
		stored.filter((sale) => sale.contract === contract && sale.accepted);
	// Late parts come in any order of time.
	const parts = Map.groupBy(sales, () => dice(4));
	for (const part of parts.values()) {
		await lab.apply(ethereum, part, { live: dice(2) === 0 });
		stored.push(...part);
		if (dice(3) > 0) await judge(1 + dice(9));
		if (dice(3) === 0) {
			const forkMs = NOW_MS - dice(12 * 24) * HOUR_MS;
			const forkBlock = Math.floor(forkMs / 1_000) - 1_600_000_000;
			await lab.revert(ethereum, forkBlock);
			const gone = stored.filter(({ blockNumber }) => blockNumber > forkBlock);
			for (const sale of gone) known.delete(sale);
			stored = stored.filter(({ blockNumber }) => blockNumber <= forkBlock);
			// Most of what a fork removes is read again.
			if (dice(2) === 0) {
				await lab.apply(ethereum, gone);
				stored.push(...gone);
			}
		}
		if (dice(3) === 0) {
			const unpriced = stored.filter(
				(sale) => sale.accepted && sale.currency === STRANGE_COIN && !known.has(sale) && dice(2),
			);
			await reprice(unpriced);
			for (const sale of unpriced) known.add(sale);
		}
		for (const contract of contracts) {
			const state = await stateOf(contract);
			const expected = flagsOf(mine(contract), priceOf);
			const got = await storedFlags(contract);
			const judgedMs = state?.from?.getTime() ?? Number.POSITIVE_INFINITY;
			// What is flagged is rightly so at any time, and what closed before that time is flagged.
			for (const key of got.keys()) expect(expected.has(key)).toBe(true);
			for (const [key, flag] of expected) {
				if (flag.completedAtMs < judgedMs)
					expect(got.get(key)).toMatchObject({ reason: flag.reason });
			}
		}
	}
	await judge(1 + dice(9));
	await judge();
	for (const contract of contracts) {
		const state = await stateOf(contract);
		const expected = flagsOf(mine(contract), priceOf);
		expect(await storedFlags(contract)).toEqual(expected);
		expect(state?.from ?? null).toBeNull();
		if (!state) continue;
		for (const sinceMs of [NOW_MS - 300_000, NOW_MS - DAY_MS, NOW_MS - 7 * DAY_MS]) {
			const since = new Date(sinceMs - (sinceMs % 60_000));
			const inWindow = mine(contract).filter(
				(sale) => expected.has(keyOf(sale)) && sale.occurredAtMs >= since.getTime(),
			);
			const volume = inWindow.reduce((sum, sale) => sum + priceOf(sale), 0n);
			const sums = await readWashSums(database.db, [state.id], since);
			expect(sums.get(state.id)).toEqual({ sales: inWindow.length, volume });
		}
	}
}

for (let round = 0; round < ROUNDS; round++) {
	test(`flags and their volumes are those of the rules, after late sales, forks and prices (TEST_SEED=${TEST_SEED}, worlds ${round * WORLDS_PER_ROUND + 1} to ${(round + 1) * WORLDS_PER_ROUND})`, () =>
		playRound(round));
}
