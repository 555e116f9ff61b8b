// Mines a block while a client listens, and compares each frame with what is known.

import { addOrder, growingIn, steps } from "#test/conformance/provider/world/growCollection.ts";
import { coins, createRandom } from "#test/conformance/provider/world/World.ts";
import { viewOf } from "#test/e2e/oracle/askLists.ts";
import { createViews } from "#test/e2e/oracle/createViews.ts";
import { differences, type Expected, notAFigure } from "#test/e2e/oracle/differences.ts";
import { floorDollarsOf } from "#test/e2e/oracle/expected/collectionOf.ts";
import { figureOf, figuresOf, numberOf, type Tally } from "#test/e2e/oracle/expected/figuresOf.ts";
import { candlesOf, discoverRowOf } from "#test/e2e/oracle/expected/rowsOf.ts";
import { eventOf } from "#test/e2e/oracle/expected/tokens.ts";
import { type Figure, UNKNOWN } from "#test/e2e/oracle/expected/worthOf.ts";
import type { Deed, Fact, View } from "#test/e2e/oracle/model.ts";
import { type OracleLab, readChain } from "#test/e2e/oracle/openOracleLab.ts";
import { areLevel, arePriced, readRates } from "#test/e2e/oracle/waits.ts";
import { tell } from "#test/e2e/oracle/world/fillWorld.ts";
import { openStream, type TestStream } from "#test/harness/startTestService.ts";

/** By then every floor told until now is too old to be the floor of a day ago. */
const DAY_MS = 24.5 * 3_600_000;
/** Cheaper than any listing of the world. */
const CHEAP = steps(21_500, coins.eth);
const MOVED = "told-whole";
const name = "floorChange24hPercent";

/** The collections in the block. */
const LIVE = ["shared-whole", "lone-cats", "lone-editions"];
/** Enough time for lanes that begin at the head to have read whole minutes. */
const BEFORE_MS = 300_000;
/** A block in the same second as a round might be before it or after it. */
const AFTER_A_ROUND_MS = 2_000;
const MINUTE_MS = 60_000;
const appearance = notAFigure("what it is called, and how it looks");

const keyOf = ({ section, row }: any) =>
	section === "mints" ? `${row.transactionHash} ${row.tokenId}` : row.slug;

/**
 * Mines a block of sales and mints while a client listens, and compares each frame with what is
 * known once the block was read. The provider tells of it as well.
 */
export async function mineLive(oracle: OracleLab, problems: string[]): Promise<void> {
	const { lab, chain, feeds } = oracle;
	const node = lab.node("base");
	const [shared] = lab.of("shared-whole").places;
	lab.advance(BEFORE_MS);
	feeds.publish(lab.nowMs());
	await readRates(oracle);
	lab.advance(AFTER_A_ROUND_MS);
	node.mine();
	await lab.indexed();
	const base = `${lab.service.url.replace(/^http/, "ws")}/v1/nft-market`;
	const streams = await Promise.all([
		openStream(`${base}/collections/${shared?.address}/stream?chain=base`),
		openStream(`${base}/discover/stream?chain=base`),
	]);
	try {
		for (const stream of streams) await stream.next(({ type }) => type === "hello");
		const fromMs = lab.nowMs();
		node.mine(chain.act(LIVE, 4));
		await areLevel(oracle);
		await arePriced(oracle);
		const deeds = await readChain(node.url, node.head());
		const growing = { ...growingIn(lab.world, lab.nowMs()), random: createRandom(node.head()) };
		tell(lab.of("shared-whole"), deeds, growing);
		const views = await createViews(oracle);
		const [collection, discover] = streams as [TestStream, TestStream];
		const own = deeds.filter(({ contract }) => contract === shared?.address);
		const frames = [...(await toldOf(collection, own)), ...(await rowsOf(discover, deeds))];
		// Windows begin at whole minutes, and a frame belongs to the minute in which it was made.
		const moments = minutesOf(fromMs, lab.nowMs());
		for (const frame of frames) {
			const wrong = moments
				.map((nowMs) => differences(frame.data, frameOf(views, frame, nowMs)))
				.reduce((least, one) => (one.length < least.length ? one : least));
			problems.push(...wrong.map((one) => `a frame ${frame.type} of ${frame.topic} ${one}`));
		}
	} finally {
		for (const stream of streams) stream.close();
	}
}

/**
 * Moves the clock by a day, then has one collection's floor told anew: compares its frame, and each
 * change of a floor against its value before.
 */
export async function dayLater(
	oracle: OracleLab,
	{ problems, tally }: { problems: string[]; tally: Tally },
): Promise<void> {
	const { lab, feeds, seed } = oracle;
	const before = await createViews(oracle);
	lab.advance(DAY_MS);
	// Without this no feed would have had a round for a day.
	if (seed % 2 === 1) {
		feeds.publish(lab.nowMs());
		await readRates(oracle);
	}
	const moved = lab.of(MOVED);
	const [place] = moved.places;
	addOrder(moved, { kind: "listing", price: CHEAP }, growingIn(lab.world, lab.nowMs()));
	const path = `/collections/${place?.address}`;
	const base = `${lab.service.url.replace(/^http/, "ws")}/v1/nft-market`;
	const stream = await openStream(`${base}${path}/stream?chain=base`);
	await lab.read(`${path}?chain=base`);
	const frame = await stream.next(({ type }) => type === "floor_update");
	stream.close();
	await lab.idle();
	const views = await createViews(oracle);
	const changeOf = (view: View): Figure => {
		const was = before.find(({ chain, address }) => {
			return chain === view.chain && address === view.address;
		});
		return changed(was ? floorOf(was, lab.nowMs()).value : null, floorOf(view, lab.nowMs()).value);
	};
	const compare = (what: string, wrong: string[]) => {
		problems.push(...wrong.map((one) => `a day later ${what} ${one}`));
	};
	const now = viewOf(views, { slug: MOVED, chain: "base" });
	const floor = floorOf(now, lab.nowMs());
	compare(
		"a floor's frame",
		differences(frame.data, {
			floorNative: floor.value,
			floorUsd: floorDollarsOf(now, floor, lab.nowMs()),
			floorPrice: floor.value,
			floorSymbol: "ETH",
			observedAt: notAFigure("a time at which the service did something"),
		}),
	);
	const { figures, market: page } = await lab.read(`${path}?chain=base`);
	const dollars = floorDollarsOf(now, floor, lab.nowMs());
	compare("the page", differences(page.floor_price_usd, dollars));
	compare("the page", differences(figures[name], figureOf(changeOf(now), name, tally)));
	const { market } = await lab.read("/discover?limit=200");
	for (const row of market) {
		const wrong = differences(row[name], numberOf(changeOf(viewOf(views, row))));
		compare(`discover's row of ${row.slug}`, wrong);
	}
}

/** Takes an event for each deed, and the candle where one of them has a price. */
async function toldOf(stream: TestStream, deeds: readonly Deed[]): Promise<any[]> {
	const events = await stream.take(deeds.length, ({ type }) => type === "market_event");
	return [...events, ...stream.frames.filter(({ type }) => type === "candle_update")];
}

/** Takes a row for each mint, and for each collection that sold or minted. */
async function rowsOf(stream: TestStream, deeds: readonly Deed[]): Promise<any[]> {
	const mints = deeds.filter(({ kind }) => kind === "mint");
	const sales = deeds.filter(({ kind, accepted }) => kind === "sale" && accepted);
	const contracts = (of: readonly Deed[]) => new Set(of.map(({ contract }) => contract)).size;
	const count = mints.length + contracts(mints) + contracts(sales);
	const rows = await stream.take(count, ({ type }) => type === "discover_row");
	// Sales and mints come from two lanes: a row is complete once both have published.
	const last = new Map(rows.map((frame) => [keyOf(frame.data), frame]));
	return [...last.values()];
}

/** Returns a moment in each minute from one time to another. */
function minutesOf(fromMs: number, untilMs: number): number[] {
	const first = Math.floor(fromMs / MINUTE_MS);
	const count = Math.floor(untilMs / MINUTE_MS) - first + 1;
	return Array.from({ length: count }, (_, at) =>
		Math.min((first + at + 1) * MINUTE_MS - 1, untilMs),
	);
}

function frameOf(views: readonly View[], { type, topic, data }: any, nowMs: number): Expected {
	if (type === "market_event") return eventNamed(views, data);
	if (type === "discover_row") {
		const isMint = data.section === "mints";
		const row = isMint
			? {
					...(eventNamed(views, data.row) as object),
					collection: { slug: appearance, name: appearance, imageUrl: appearance },
				}
			: discoverRowOf(viewNamed(views, data.row.slug), nowMs);
		return { section: data.section, row };
	}
	const view = views.find(({ slug }) => slug === "shared-whole");
	const minute = candlesOf(view?.known ?? [], "1m").find((one) => {
		return (one as { openTime: string }).openTime === data.candle.openTime;
	});
	return { interval: "1m", candle: minute ?? (() => `${topic} has no such minute`) };
}

function eventNamed(views: readonly View[], told: any): Expected {
	const isIt = ({ kind, transaction, tokenId }: Fact) =>
		kind === told.eventType && transaction === told.transactionHash && tokenId === told.tokenId;
	const fact = views.flatMap(({ known }) => known).find(isIt);
	return fact ? eventOf(fact, told.chain) : () => `nobody told ${told.transactionHash}`;
}

function viewNamed(views: readonly View[], slug: string): View {
	const view = views.find((one) => one.slug === slug || one.address === slug);
	if (!view) throw new Error(`nobody knows ${slug}`);
	return view;
}

function changed(was: number | null, now: number | null): Figure {
	const isKnown = was !== null && now !== null;
	return {
		...UNKNOWN,
		unit: "percent",
		window: "24h",
		value: isKnown ? ((now - was) / was) * 100 : null,
		sources: ["provider"],
		reasons: ["not_read", "not_counted"],
	};
}

function floorOf(view: View, nowMs: number): Figure {
	const floor = figuresOf(view, nowMs)["floorNative"];
	if (!floor) throw new Error("a figure is missing");
	return floor;
}
