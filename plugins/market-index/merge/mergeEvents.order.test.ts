import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { readFigures, recomputeFigures } from "#plugins/market-index/apply/testing/figures.ts";
import type { NewEvent } from "#plugins/market-index/contract.ts";
import type { MergedCollection } from "#plugins/market-index/merge/mergeEvents.ts";
import {
	createMergeLab,
	HEAD_BLOCK,
	timeOf,
} from "#plugins/market-index/merge/testing/mergeLab.ts";
import { told } from "#plugins/market-index/merge/testing/told.ts";
import { WEI_PAID_MAX } from "#plugins/market-index/rollup/limits.ts";
import {
	contractOf,
	ethereum,
	mintOf,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: whoever speaks first, and however often, each event is there once, with both words.

let database: TestDatabase;
let lab: ReturnType<typeof createMergeLab>;
beforeAll(async () => {
	database = await createTestDatabase();
	lab = createMergeLab(database.db);
});
afterAll(() => database.drop());

const CATS = contractOf(0x61);
const DOGS = contractOf(0x62);
const FIRST_BLOCK = HEAD_BLOCK - 2_000;
const STRANGER = contractOf(0x5eed);

/** Something that happened: on chain, where `isOnChain`; the provider says it in its own way. */
type Deed = { event: NewEvent; isOnChain: boolean; saidAs: "sale" | "mint" | "transfer" };

const drawn = fc.record({
	kind: fc.constantFrom("sale", "sale", "mint", "both"),
	isDog: fc.boolean(),
	isOnChain: fc.boolean(),
	totalRaw: fc.oneof(fc.bigInt(1n, 10n ** 19n), fc.constantFrom(0n, WEI_PAID_MAX)),
	tokenId: fc.bigInt(0n, 3n),
	saidAs: fc.constantFrom("mint", "transfer", "self"),
	blocks: fc.integer({ min: 2, max: 60 }),
});

const deeds = fc.array(drawn, { minLength: 1, maxLength: 10 }).map((list) => {
	let blockNumber = FIRST_BLOCK;
	return list.flatMap(({ kind, isDog, isOnChain, totalRaw, tokenId, saidAs, blocks }, index) => {
		blockNumber += blocks;
		const contract = isDog ? DOGS : CATS;
		const standard = isDog ? ("erc1155" as const) : ("erc721" as const);
		const transactionHash = `0x${String(index + 1).padStart(64, "a")}` as const;
		const place = { blockNumber, occurredAtMs: timeOf(blockNumber), transactionHash, standard };
		const made: Deed[] = [];
		if (kind !== "mint") {
			const verdict = totalRaw === 0n ? { accepted: false, reason: "zero_price" as const } : {};
			const sale = saleOf(contract, { ...place, tokenId, totalRaw, ...verdict, venue: "seaport" });
			made.push({ event: sale, isOnChain, saidAs: "sale" });
		}
		if (kind !== "sale") {
			const event = mintOf(contract, { ...place, tokenId, totalRaw });
			made.push({ event, isOnChain, saidAs: saidAs === "self" ? "mint" : saidAs });
		}
		return made;
	});
});

type Step = { act: "chain" | "tell" | "fork"; picks: number[]; fork: number };
const steps = fc.array(
	fc.record({
		act: fc.constantFrom("chain", "tell", "tell", "fork"),
		picks: fc.array(fc.nat(99), { minLength: 1, maxLength: 12 }),
		fork: fc.integer({ min: 0, max: 700 }),
	}),
	{ minLength: 1, maxLength: 8 },
);

/** What must be known of a deed. */
type Known = { deed: Deed; onChain: boolean; isTold: boolean; alone: NewEvent["kind"] | null };

function sayingOf({ event, saidAs }: Deed) {
	if (event.kind === "sale" || saidAs === "mint") return told(event);
	return told(event, { type: "transfer", from: STRANGER });
}

async function play(known: Known[], step: Step, collections: readonly MergedCollection[]) {
	const picked = step.picks.flatMap((pick) => known[pick % known.length] ?? []);
	if (step.act === "chain") {
		const seen = [...new Set(picked.filter(({ deed }) => deed.isOnChain))];
		const live = step.fork % 2 === 0;
		await lab.apply(
			ethereum,
			seen.map(({ deed }) => deed.event),
			{ live },
		);
		for (const one of seen) {
			one.isTold ||= one.alone !== null;
			Object.assign(one, { onChain: true, alone: null });
		}
	} else if (step.act === "tell") {
		for (const collection of collections) {
			const mine = picked.filter(({ deed }) => deed.event.contract === collection.address);
			await lab.merge(
				collection,
				mine.map(({ deed }) => sayingOf(deed)),
			);
		}
		for (const one of picked) {
			if (one.onChain) one.isTold = true;
			else one.alone ??= one.deed.saidAs;
		}
	} else {
		const block = FIRST_BLOCK + step.fork;
		await lab.revert(ethereum, block);
		for (const one of known) {
			if (!one.onChain || one.deed.event.blockNumber <= block) continue;
			if (one.isTold) one.alone = one.deed.event.kind;
			Object.assign(one, { onChain: false, isTold: false });
		}
	}
}

async function check(known: readonly Known[]) {
	const there = known.filter(({ onChain, alone }) => onChain || alone);
	const rows = there.map(({ deed, onChain, isTold, alone }) => ({
		kind: onChain ? deed.event.kind : alone,
		token: deed.event.tokenId.toString(),
		hash: deed.event.transactionHash,
		verified: onChain,
		isTold: isTold || !onChain,
	}));
	const stored = (await lab.rows()).map(({ payload, venue: _, ...row }) => {
		return { ...row, isTold: payload !== null };
	});
	const name = (row: object) => JSON.stringify(Object.entries(row).sort());
	expect(stored.map(name).sort()).toEqual(rows.map(name).sort());
	expect(await lab.unconfirmed()).toBe(there.filter(({ onChain }) => !onChain).length);
	const events = there.map(({ deed, alone }) =>
		alone === "transfer" ? { ...deed.event, kind: alone } : deed.event,
	);
	const figures = await readFigures(database.db);
	const expected = recomputeFigures(ethereum, events);
	const speaking = new Set(events.map(({ contract }) => contract));
	const collections = figures.collections.filter(({ contract }) =>
		speaking.has(`${contract}` as never),
	);
	expect({ ...figures, collections }).toEqual(expected);
}

test("[MRG-07][ING-15] chain and provider in any order, repeated and reverted, leave each event once and exact figures", async () => {
	await fc.assert(
		fc.asyncProperty(deeds, steps, async (drawnDeeds, drawnSteps) => {
			await lab.clear();
			const collections = [await lab.register(CATS), await lab.register(DOGS, "erc1155")];
			const known: Known[] = drawnDeeds.map((deed) => {
				return { deed, onChain: false, isTold: false, alone: null };
			});
			const all = known.map((_, index) => index);
			const ends: Step[] = (["tell", "chain"] as const).map((act) => ({
				act,
				picks: all,
				fork: 0,
			}));
			for (const step of [...drawnSteps, ...ends] as Step[]) {
				await play(known, step, collections);
				await check(known);
			}
		}),
		{ numRuns: 60 },
	);
});
