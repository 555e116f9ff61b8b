import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Address } from "#core/chain/Hex.ts";
import { readFigures, recomputeFigures } from "#plugins/market-index/apply/testing/figures.ts";
import { MERGE_ROWS_MAX, TOLD_LIVE_MS } from "#plugins/market-index/merge/readProviderEvent.ts";
import type { MergedCollection } from "#plugins/market-index/merge/sql.ts";
import {
	createMergeLab,
	HEAD_BLOCK,
	timeOf,
} from "#plugins/market-index/merge/testing/mergeLab.ts";
import { told } from "#plugins/market-index/merge/testing/told.ts";
import type { NewEvent } from "#plugins/market-index/model.ts";
import { WEI_PAID_MAX } from "#plugins/market-index/rollup/windows.ts";
import {
	contractOf,
	ETH,
	ethereum,
	mintOf,
	NOW_MS,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("mergeEvents.order", () => {
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
				const sale = saleOf(contract, {
					...place,
					tokenId,
					totalRaw,
					...verdict,
					venue: "seaport",
				});
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
});

describe("mergeEvents", () => {
	let database: TestDatabase;
	let lab: ReturnType<typeof createMergeLab>;
	let cats: MergedCollection;
	beforeAll(async () => {
		database = await createTestDatabase();
		lab = createMergeLab(database.db);
	});
	afterAll(() => database.drop());
	beforeEach(async () => {
		await lab.clear();
		lab.head.block = HEAD_BLOCK;
		cats = await lab.register(CATS);
	});

	const CATS: Address = contractOf(0x81);
	const TOPIC = `collection:ethereum:${CATS}`;
	const STRANGER = contractOf(0x5eed);
	const at = (blocksAgo: number, given: Partial<NewEvent> = {}) => {
		const blockNumber = HEAD_BLOCK - blocksAgo;
		// A hash as transactions have it, and no stand-in.
		const transactionHash = `0x${(blocksAgo + 1).toString(16).padStart(64, "e")}` as const;
		return { transactionHash, blockNumber, occurredAtMs: timeOf(blockNumber), ...given };
	};
	type Told = { type: string; data: Record<string, unknown> };
	const framesOf = async (topic: string) => (await lab.frames(topic)) as Told[];

	test("[ING-15] an event of the provider is unconfirmed until the chain confirms it, once", async () => {
		const sale = saleOf(CATS, at(3));
		expect(await lab.merge(cats, [told(sale)])).toEqual({
			stored: 1,
			attached: 0,
			known: 0,
			left: 0,
		});
		const [alone] = await lab.rows();
		expect(alone).toMatchObject({ kind: "sale", verified: false, venue: "opensea" });
		expect(await lab.unconfirmed()).toBe(1);
		await lab.apply(ethereum, [sale], { live: true });
		const rows = await lab.rows();
		expect(rows).toMatchObject([{ verified: true, venue: "seaport", payload: { nft: {} } }]);
		expect(await lab.unconfirmed()).toBe(0);
		expect((await readFigures(database.db)).collections).toMatchObject([{ sales: 1 }]);
	});

	test("[MRG-07] an event known from the chain gets the provider's payload once, and no second row", async () => {
		const sale = saleOf(CATS, at(3));
		await lab.apply(ethereum, [sale]);
		expect(await lab.merge(cats, [told(sale), told(sale)])).toMatchObject({
			attached: 1,
			known: 1,
		});
		expect(await lab.merge(cats, [told(sale, { raw: { other: 1 } })])).toMatchObject({ known: 1 });
		expect(await lab.rows()).toMatchObject([{ verified: true, payload: { nft: {} } }]);
	});

	test("[IDX-10] a sale of the chain that is not accepted stays so, whatever the provider reports", async () => {
		const refused = { accepted: false, reason: "self_trade" as const };
		const sale = saleOf(CATS, at(3, refused));
		await lab.apply(ethereum, [sale]);
		await lab.merge(cats, [told(sale)]);
		expect(await lab.rows()).toHaveLength(1);
		expect((await readFigures(database.db)).collections).toMatchObject([{ sales: 0 }]);
	});

	test("[MRG-07] a transfer that duplicates a mint becomes the mint, whichever comes first", async () => {
		const early = mintOf(CATS, at(9));
		const late = mintOf(CATS, at(3));
		const moved = (mint: NewEvent) => told(mint, { type: "transfer", from: STRANGER });
		await lab.apply(ethereum, [early]);
		await lab.merge(cats, [moved(early), moved(late)]);
		expect((await lab.rows()).map(({ kind }) => kind)).toEqual(["mint", "transfer"]);
		await lab.apply(ethereum, [late]);
		const rows = await lab.rows();
		expect(rows).toMatchObject([
			{ kind: "mint", verified: true, payload: { nft: {} } },
			{ kind: "mint", verified: true, payload: { nft: {} } },
		]);
		// And a transfer onwards in the mint's own transaction is one of its own.
		await lab.merge(cats, [told(late, { type: "transfer", from: late.to, to: STRANGER })]);
		expect((await lab.rows()).map(({ kind }) => kind)).toEqual(["mint", "mint", "transfer"]);
	});

	test("[MRG-07] the provider's own mint replaces its transfer", async () => {
		const mint = mintOf(CATS, at(3));
		const transfer = told(mint, { type: "transfer", from: STRANGER });
		await lab.merge(cats, [transfer]);
		await lab.merge(cats, [told(mint)]);
		expect(await lab.merge(cats, [transfer, told(mint)])).toMatchObject({ known: 2 });
		expect(await lab.rows()).toMatchObject([{ kind: "mint", verified: false }]);
		expect(await lab.unconfirmed()).toBe(1);
	});

	test("[MRG-07] an event without a transaction hash is confirmed by token, parties and time", async () => {
		const sale = saleOf(CATS, at(3));
		const said = told(sale, { withoutTransaction: true, occurredAtMs: sale.occurredAtMs + 30_000 });
		await lab.merge(cats, [said, said]);
		await lab.merge(cats, [told(sale)]);
		expect(await lab.rows()).toMatchObject([{ verified: false }]);
		await lab.apply(ethereum, [sale]);
		expect(await lab.merge(cats, [said])).toMatchObject({ known: 1 });
		expect(await lab.rows()).toMatchObject([{ verified: true, hash: sale.transactionHash }]);
		expect(await lab.unconfirmed()).toBe(0);
	});

	test("[STR-04] a sale that only the provider reported is published with its candle, and retracted when the chain has it", async () => {
		const sale = saleOf(CATS, at(3));
		const saidAtMs = sale.occurredAtMs - 60_000;
		await lab.merge(cats, [told(sale, { occurredAtMs: saidAtMs })]);
		const first = await framesOf(TOPIC);
		expect(first.map(({ type }) => type)).toEqual(["market_event", "candle_update"]);
		expect(first[0]?.data).toMatchObject({
			onchainVerified: false,
			imageUrl: `ipfs://${sale.tokenId}`,
		});
		await lab.apply(ethereum, [sale], { live: true });
		const [gone, event, ...candles] = (await framesOf(TOPIC)).slice(2);
		expect(gone?.data).toEqual({ ...first[0]?.data, retracted: true });
		expect(event?.data).toMatchObject({ onchainVerified: true, blockNumber: sale.blockNumber });
		expect(event?.data["imageUrl"]).toBe(`ipfs://${sale.tokenId}`);
		expect(candles.map(({ data }) => data)).toMatchObject([
			{ candle: { sales: 1 } },
			{ retracted: true, candle: { sales: 0, open: null } },
		]);
	});

	test("[STR-04] an old event makes the collection's stream read again, but not discover", async () => {
		const old = saleOf(CATS, at(TOLD_LIVE_MS / 12_000 + 1));
		await lab.merge(cats, [told(old)]);
		expect(await framesOf(TOPIC)).toMatchObject([{ type: "snapshot_required" }]);
		const discover = await framesOf("discover:ethereum");
		expect(discover.map(({ type }) => type)).toEqual(["discover_row"]);
		expect(discover[0]?.data).toMatchObject({ section: "market", row: { sales24h: 1 } });
	});

	test("[ING-11] an event that leaves the chain, but that the provider reported, loses its block and still counts", async () => {
		const both = saleOf(CATS, at(3, { totalRaw: 2n * ETH }));
		const chainOnly = saleOf(CATS, at(2));
		await lab.apply(ethereum, [both, chainOnly], { live: true });
		await lab.merge(cats, [told(both)]);
		const before = (await framesOf(TOPIC)).length;
		await lab.revert(ethereum, HEAD_BLOCK - 10);
		expect(await lab.rows()).toMatchObject([{ verified: false, hash: both.transactionHash }]);
		expect((await readFigures(database.db)).collections).toMatchObject([
			{
				sales: 1,
				volume_native: (2n * ETH).toString(),
				last_sale_transaction: both.transactionHash,
			},
		]);
		const frames = (await framesOf(TOPIC)).slice(before);
		const events = frames.filter(({ type }) => type === "market_event").map(({ data }) => data);
		expect(events).toMatchObject([
			{ retracted: true, transactionHash: both.transactionHash },
			{ retracted: true, transactionHash: chainOnly.transactionHash },
			{ onchainVerified: false, transactionHash: both.transactionHash },
		]);
		// The same transaction in a block of the new fork.
		await lab.apply(ethereum, [{ ...both, blockHash: `0x${"f".repeat(64)}`, logIndex: 77 }]);
		expect(await lab.rows()).toMatchObject([{ verified: true, payload: { nft: {} } }]);
	});

	test("events of an excluded or deleted collection are not stored", async () => {
		const sale = saleOf(CATS, at(3));
		expect(await lab.merge({ ...cats, id: 999_999 }, [told(sale)])).toMatchObject({ stored: 0 });
		await database.db.execute("update market_index.collection set excluded = true");
		expect(await lab.merge(cats, [told(sale)])).toMatchObject({ stored: 0 });
		expect(await lab.rows()).toEqual([]);
		expect(await lab.unconfirmed()).toBe(0);
	});

	test("more events than fit one transaction are all stored, once, in any order", async () => {
		const sales = Array.from({ length: MERGE_ROWS_MAX + 3 }, (_, index) => saleOf(CATS, at(index)));
		const said = sales.map((sale) => told(sale));
		expect(await lab.merge(cats, said)).toMatchObject({ stored: MERGE_ROWS_MAX + 3 });
		expect(await lab.merge(cats, [...said].reverse())).toMatchObject({ known: MERGE_ROWS_MAX + 3 });
		expect((await readFigures(database.db)).collections).toMatchObject([
			{ sales: MERGE_ROWS_MAX + 3, last_sale_transaction: sales[0]?.transactionHash },
		]);
	});

	test("merging waits for a lane that writes the chain, and sees what the lane wrote", async () => {
		const { db } = database;
		const sale = saleOf(CATS, at(3));
		let isMerged = false;
		const merging: Promise<unknown>[] = [];
		await db.transaction(async (tx) => {
			await tx.execute("select pg_advisory_xact_lock($1)", [ethereum.id]);
			merging.push(lab.merge(cats, [told(sale)]).then(() => (isMerged = true)));
			const waiting = "select from pg_locks where locktype = 'advisory' and not granted";
			while (!isMerged && (await db.query(waiting)).length === 0);
			expect(isMerged).toBe(false);
			await lab.applier(tx, { chainId: ethereum.id, live: false, events: [sale] });
		});
		await Promise.all(merging);
		expect(await lab.rows()).toMatchObject([{ verified: true, payload: { nft: {} } }]);
		expect(await lab.unconfirmed()).toBe(0);
	});

	test("events are in the order of their times even if the chain's pace is estimated wrongly", async () => {
		const lastSale = async () => (await readFigures(database.db)).collections[0]?.["last_sale"];
		for (const wrong of [-15_000_000, 15_000_000]) {
			await lab.clear();
			cats = await lab.register(CATS);
			lab.head.block = HEAD_BLOCK + wrong;
			await lab.apply(ethereum, [saleOf(CATS, at(100)), saleOf(CATS, at(10))]);
			await lab.merge(cats, [told(saleOf(CATS, at(50)))]);
			expect(await lastSale()).toBe(timeOf(HEAD_BLOCK - 10));
			await lab.merge(cats, [told(saleOf(CATS, at(5)))]);
			expect(await lastSale()).toBe(timeOf(HEAD_BLOCK - 5));
			await lab.merge(cats, [told(saleOf(CATS, at(200)))]);
			expect(await lastSale()).toBe(timeOf(HEAD_BLOCK - 5));
		}
	});

	test.each([
		["was never seen", null],
		["is lower than the pace says", 5],
	])("sales are in the order of their times when the chain's head %s", async (_name, head) => {
		lab.head.block = head;
		// Seconds apart, within one minute of the past: one candle, and one block of any pace.
		const minuteMs = Math.floor((NOW_MS - 7_200_000) / 60_000) * 60_000;
		const sales = Array.from({ length: 48 }, (_, second) =>
			saleOf(CATS, {
				...at(600 + second, { totalRaw: BigInt(second + 1) * ETH }),
				occurredAtMs: minuteMs + second * 1_000,
			}),
		);
		// As pages come, newest first, and a push of what is newest of all in the end.
		for (const [from, to] of [
			[30, 45],
			[15, 30],
			[0, 15],
			[45, 48],
		]) {
			await lab.merge(
				cats,
				sales
					.slice(from, to)
					.reverse()
					.map((sale) => told(sale)),
			);
		}
		const { collections, buckets } = await readFigures(database.db);
		expect(collections).toMatchObject([
			{ sales: 48, last_sale_transaction: sales.at(-1)?.transactionHash },
		]);
		const candle = { sales: 48, open: ETH.toString(), close: (48n * ETH).toString() };
		expect(buckets).toMatchObject([candle, candle, candle]);
		// What the chain tells of later takes their place.
		const newest = saleOf(CATS, { ...at(2), blockNumber: 7 });
		await lab.apply(ethereum, [newest]);
		expect((await readFigures(database.db)).collections).toMatchObject([
			{ last_sale_transaction: newest.transactionHash },
		]);
	});

	test("[ING-15] the provider's events are accepted before any lane has read the chain", async () => {
		lab.head.block = null;
		const older = saleOf(CATS, { ...at(5), tokenId: 1n });
		await lab.merge(cats, [told(older)]);
		await lab.apply(ethereum, [saleOf(CATS, at(2))]);
		expect((await readFigures(database.db)).collections).toMatchObject([
			{ sales: 2, last_sale: timeOf(HEAD_BLOCK - 2) },
		]);
		expect(NOW_MS).toBeGreaterThan(older.occurredAtMs);
	});
});
