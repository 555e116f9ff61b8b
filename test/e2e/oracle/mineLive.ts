import { createRandom } from "#test/conformance/provider/world/createRandom.ts";
import { growingIn } from "#test/conformance/provider/world/trading.ts";
import { areLevel } from "#test/e2e/oracle/areLevel.ts";
import { createViews } from "#test/e2e/oracle/createViews.ts";
import { differences, type Expected } from "#test/e2e/oracle/differences.ts";
import { candlesOf } from "#test/e2e/oracle/expected/candlesOf.ts";
import { eventOf } from "#test/e2e/oracle/expected/eventOf.ts";
import { discoverRowOf } from "#test/e2e/oracle/expected/rowsOf.ts";
import type { Fact, View } from "#test/e2e/oracle/Known.ts";
import { notAFigure } from "#test/e2e/oracle/notAFigure.ts";
import type { OracleLab } from "#test/e2e/oracle/openOracleLab.ts";
import { type Deed, readChain } from "#test/e2e/oracle/readChain.ts";
import { arePriced, readRates } from "#test/e2e/oracle/readRates.ts";
import { tell } from "#test/e2e/oracle/world/fillWorld.ts";
import { openStream, type TestStream } from "#test/harness/openStream.ts";

/** The collections in the block. */
const LIVE = ["shared-whole", "lone-cats", "lone-editions"];
/** Enough time for lanes that begin at the head to have read whole minutes. */
const BEFORE_MS = 300_000;
/** A block in the same second as a round might be before it or after it. */
const AFTER_A_ROUND_MS = 2_000;
const MINUTE_MS = 60_000;
const name = notAFigure("what it is called, and how it looks");

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

/** Returns a moment in each minute from one time to another. */
function minutesOf(fromMs: number, untilMs: number): number[] {
	const first = Math.floor(fromMs / MINUTE_MS);
	const count = Math.floor(untilMs / MINUTE_MS) - first + 1;
	return Array.from({ length: count }, (_, at) =>
		Math.min((first + at + 1) * MINUTE_MS - 1, untilMs),
	);
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

const keyOf = ({ section, row }: any) =>
	section === "mints" ? `${row.transactionHash} ${row.tokenId}` : row.slug;

function frameOf(views: readonly View[], { type, topic, data }: any, nowMs: number): Expected {
	if (type === "market_event") return eventNamed(views, data);
	if (type === "discover_row") {
		const isMint = data.section === "mints";
		const row = isMint
			? {
					...(eventNamed(views, data.row) as object),
					collection: { slug: name, name, imageUrl: name },
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
