import { expect, test } from "bun:test";
import type { EventRow } from "#plugins/market-index/event/MarketEvent.ts";
import { catchUpFrames, liveFrames } from "#plugins/market-index/frames/eventFrames.ts";
import {
	contractOf,
	ethereum,
	mintOf,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { fakePrices } from "#test/harness/fakes.ts";

const CATS = contractOf(1);
const DOGS = contractOf(2);
const collections = new Map([
	[1, { address: CATS, slug: "cats", name: "Cats", imageUrl: "https://x.test/cats.png" }],
	[2, { address: DOGS, slug: DOGS, name: null, imageUrl: null }],
]);
const topics = { cats: `collection:ethereum:${CATS}`, dogs: `collection:ethereum:${DOGS}` };
const row = (event: ReturnType<typeof saleOf>): EventRow => ({
	...event,
	collectionId: event.contract === CATS ? 1 : 2,
	totalNative: event.totalRaw,
});
const shown = { currencies: new Map(), prices: fakePrices() };
const frames = (events: ReturnType<typeof saleOf>[]) =>
	liveFrames({ chain: ethereum, events: events.map(row), collections, shown });
const mints = (count: number, given = {}) =>
	Array.from({ length: count }, () => mintOf(CATS, given));

test("a mint is published to its collection and to discover, with the collection's name and image", () => {
	const told = frames([mintOf(CATS), saleOf(DOGS)]);
	expect([...told.keys()].sort()).toEqual([topics.cats, topics.dogs, "discover:ethereum"].sort());
	const event = told.get(topics.cats)?.[0]?.data as object;
	const collection = { slug: "cats", name: "Cats", imageUrl: "https://x.test/cats.png" };
	expect(told.get("discover:ethereum")).toEqual([
		{ type: "discover_row", data: { section: "mints", row: { ...event, collection } } },
	]);
	expect(told.get(topics.dogs)).toMatchObject([
		{ type: "market_event", data: { eventType: "sale" } },
	]);
});

test("frames of a topic have the order of their events", () => {
	const events = [mintOf(CATS), saleOf(CATS), mintOf(CATS), saleOf(CATS)];
	const told = frames(events).get(topics.cats) ?? [];
	expect(told.map(({ data }) => (data as { logIndex: number }).logIndex)).toEqual(
		events.map(({ logIndex }) => logIndex),
	);
});

test("40 mints at once are published one by one, 41 as one frame, and sales always one by one", () => {
	const crowd = (count: number) => frames([...mints(count), saleOf(CATS), saleOf(CATS)]);
	expect(
		crowd(40)
			.get(topics.cats)
			?.map(({ type }) => type),
	).toEqual(Array(42).fill("market_event"));
	expect(
		crowd(41)
			.get(topics.cats)
			?.map(({ type }) => type),
	).toEqual(["snapshot_required", "market_event", "market_event"]);
	expect(crowd(41).get("discover:ethereum")).toEqual([
		{ type: "snapshot_required", data: { reason: "too_many_mints" } },
	]);
});

test("only the events that a topic would show count for its limit: discover has no refused mint", () => {
	const told = frames([...mints(40), ...mints(1, { accepted: false })]);
	expect(told.get("discover:ethereum")).toHaveLength(40);
	expect(told.get(topics.cats)?.map(({ type }) => type)).toEqual(["snapshot_required"]);
});

test("an event of a collection outside the batch's collections gets no frame", () => {
	const events = [row(saleOf(CATS))].map((one) => ({ ...one, collectionId: 99 }));
	const options = { chain: ethereum, collections, shown };
	expect(liveFrames({ ...options, events }).size).toBe(0);
});

test("a lane that catches up sends one frame for each topic", () => {
	const told = catchUpFrames(ethereum, collections.values());
	expect([...told.keys()].sort()).toEqual([topics.cats, topics.dogs, "discover:ethereum"].sort());
	for (const list of told.values()) {
		expect(list).toEqual([{ type: "snapshot_required", data: { reason: "catching_up" } }]);
	}
});
