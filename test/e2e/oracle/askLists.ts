// Compares every route that lists collections with what is known of them.

import type { ConformanceLab } from "#test/conformance/provider/openConformanceLab.ts";
import type { Ask, Expect } from "#test/e2e/oracle/askAboutOne.ts";
import { createViews } from "#test/e2e/oracle/createViews.ts";
import { differences, type Expected, notAFigure } from "#test/e2e/oracle/differences.ts";
import { asksOf, bidsOf, orderOf } from "#test/e2e/oracle/expected/bookOf.ts";
import { collectionOf, dropsOf } from "#test/e2e/oracle/expected/collectionOf.ts";
import { discoverRowOf, hitOf, trendingRowOf } from "#test/e2e/oracle/expected/rowsOf.ts";
import { eventOf } from "#test/e2e/oracle/expected/tokens.ts";
import {
	factsSince,
	WINDOWS,
	type Window,
	windowStart,
} from "#test/e2e/oracle/expected/worthOf.ts";
import type { Fact, View } from "#test/e2e/oracle/model.ts";
import type { OracleLab } from "#test/e2e/oracle/openOracleLab.ts";
import { openStream } from "#test/harness/startTestService.ts";

type Row = { slug: string; chain: string; contractAddress?: string };

const ALL = 200;
/**
 * The window of the provider's rate limit. A page that is not cached calls the provider, so the
 * clock is advanced by as much between two pages.
 */
const MINUTE_MS = 60_000;
const page = notAFigure("where the next page begins");
const freshness = notAFigure("how far the lanes are, which is about no collection");
const raw = notAFigure("the provider's own words of each row, or the service's in its form");
const name = notAFigure("what it is called, and how it looks");

/** The provider tells nothing of its listings. */
const REFUSED = "book-refused";
const READ = ["shared-whole", "told-whole", "told-usdc", "told-shores", "told-nothing", REFUSED];

const LISTINGS = "GET /api/v2/listings/collection/{slug}/all";
const OFFERS = "GET /api/v2/offers/collection/{slug}/all";
/** Longer than the pause after a book could not be read. */
const LEFT_ALONE_MS = 61_000;
const ROUNDS_MAX = 9;

/** The collection that a client listens to. */
const HEARD = "told-whole";

const isOrder = (data: any) => ["listing", "offer"].includes(data?.eventType);

/** What rows of lists have beside: held sale by sale in `listFigures.test.ts`. */
const listed = {
	changes: notAFigure("changes in each window"),
	listedPercent: notAFigure("the share that is listed"),
};
const ranked = { ...listed, supply: notAFigure("tokens there are") };
const why = notAFigure("why it stands there");

/**
 * Asks every route that lists collections; the windows of a single chain only where all variants
 * are wanted.
 */
export async function askLists(
	ask: Ask,
	{ lab, isWhole }: { lab: ConformanceLab; isWhole: boolean },
): Promise<void> {
	// A page is cached per limit, so each request uses another limit.
	let limit = ALL;
	for (const scope of ["chain=base", "chain=ethereum", "chain=apechain", "scope=all"]) {
		for (const mode of ["trending", "top", "new"]) {
			lab.advance(MINUTE_MS);
			const expect: Expect = (views, nowMs, body) => ({
				normalized: rows(views, body.normalized, (view) => ({
					...Object(collectionOf(view, nowMs)),
					...listed,
				})),
				data: { collections: raw },
				freshness,
				page,
			});
			await ask(() => `/collections?${scope}&mode=${mode}&limit=${--limit}`, expect);
		}
	}
	for (const chain of ["?chain=base&", "?chain=ethereum&", "?chain=apechain&", "?"]) {
		const windows = Object.keys(WINDOWS) as Window[];
		for (const window of isWhole || chain === "?" ? windows : windows.slice(-1)) {
			await ask(`/trending${chain}window=${window}&limit=${ALL}`, (views, nowMs, body) => ({
				rows: rows(views, body.rows, (view) => ({
					...Object(trendingRowOf(view, nowMs, window)),
					...ranked,
					why,
				})),
				freshness,
				page,
			}));
		}
		await ask(`/discover${chain}limit=${ALL}`, (views, nowMs, body) => {
			const here = views.filter((view) => chain === "?" || chain.includes(view.chain));
			return discoverOf(here, nowMs, body);
		});
		await ask(`/drops${chain}limit=${ALL}`, (views, nowMs) => ({
			data: dropsOf(
				views.filter((view) => chain === "?" || chain.includes(view.chain)),
				nowMs,
			),
			page,
		}));
	}
	for (const word of ["told", "shared", "pages", "far"]) {
		await ask(`/search?q=${word}&limit=${ALL}`, (views, nowMs, body) => ({
			data: rows(views, body.data, (view) => hitOf(view, nowMs)),
			matches: notAFigure("what else the words may mean"),
			unknown: notAFigure("what could not be searched"),
			page,
		}));
	}
}

/**
 * Has the books of some collections read, as if clients looked at them, and compares the frame of
 * each order of one of them.
 */
export async function readBooks(oracle: OracleLab, problems: string[]): Promise<void> {
	const { lab } = oracle;
	const [heard] = lab.of(HEARD).places;
	const base = `${lab.service.url.replace(/^http/, "ws")}/v1/nft-market`;
	const stream = await openStream(`${base}/collections/${heard?.address}/stream?chain=base`);
	await readAll(oracle);
	const view = viewOf(await createViews(oracle), { slug: HEARD, chain: "base" });
	const sides = [asksOf(view) ?? [], bidsOf(view) ?? []] as const;
	const wanted = sides.flatMap((orders, side) => orders.map((order) => ({ order, side })));
	const frames = await stream.take(wanted.length, ({ data }) => isOrder(data));
	stream.close();
	for (const { order, side } of wanted) {
		const frame = frames.find(({ data }) => data.orderHash === order.hash);
		const wrong = differences(frame?.data, {
			...orderOf(order, side === 0 ? "listings" : "offers", view.rates.dollarsAt(lab.nowMs())),
			id: `order:${order.hash}`,
			chain: view.chain,
			contractAddress: view.address,
			eventType: side === 0 ? "listing" : "offer",
			status: "active",
			occurredAt: notAFigure("a time at which the service did something"),
		});
		problems.push(...wrong.map((one) => `a frame of an order ${one}`));
	}
}

export function viewOf(views: readonly View[], { slug, chain, contractAddress }: Row): View {
	const own = views.find((view) => {
		if (view.chain !== chain) return false;
		const names = [view.address, view.slug];
		return contractAddress ? view.address === contractAddress : names.includes(slug);
	});
	if (!own) throw new Error(`nobody knows ${chain} ${slug} ${contractAddress}`);
	return own;
}

/** Returns each expected row by what is known of its own collection, whichever rows there are. */
function rows(
	views: readonly View[],
	told: readonly Row[],
	of: (view: View) => Expected,
): Expected[] {
	return told.map((row) => of(viewOf(views, row)));
}

function discoverOf(views: readonly View[], nowMs: number, body: any): Expected {
	const hourMs = windowStart(nowMs, "1h");
	const minting = views.filter(({ known }) => factsSince(known, "mint", hourMs).length > 0);
	const ever = views.filter(({ known }) => factsSince(known, "sale", 0).length > 0);
	const row = (view: View) => ({ ...Object(discoverRowOf(view, nowMs)), ...ranked });
	const has = (told: readonly Row[], wanted: readonly View[]): Expected => {
		const got = told.map((one) => viewOf(views, one));
		const missing = wanted.filter((view) => !got.includes(view));
		if (missing.length > 0) return () => `${missing.map(({ slug }) => slug)} are missing`;
		return rows(views, told, row);
	};
	return {
		trending: rows(views, body.trending, (view) => ({ ...row(view), why })),
		mints: mintsOf(views, body.mints),
		market: has(body.market, ever),
		minting: has(body.minting, minting),
	};
}

/** Returns the newest mints of all collections, with their joined fields. */
function mintsOf(views: readonly View[], told: readonly any[]): Expected[] {
	const all = views.flatMap(({ known, chain }) =>
		factsSince(known, "mint", 0).map((fact) => ({ fact, chain })),
	);
	const place = new Map(told.map((row, at) => [`${row.transactionHash} ${row.tokenId}`, at]));
	const placeOf = ({ transaction, tokenId }: Fact) => place.get(`${transaction} ${tokenId}`) ?? 1e9;
	return all
		.sort((a, b) => b.fact.atMs - a.fact.atMs || placeOf(a.fact) - placeOf(b.fact))
		.slice(0, ALL)
		.map(({ fact, chain }) => ({
			...eventOf(fact, chain),
			collection: { slug: name, name, imageUrl: name },
		}));
}

/**
 * Has each book read to its end. A minute allows only so many calls; a book that did not fit is
 * continued in the next.
 */
async function readAll({ lab }: OracleLab): Promise<void> {
	const from = lab.provider.calls.length;
	const isRead = (slug: string) => {
		const told = lab.callsSince(from).filter(({ status, path }) => {
			return status === 200 && path["slug"] === slug;
		});
		const sides = slug === REFUSED ? [OFFERS] : [LISTINGS, OFFERS];
		return sides.every((side) => told.some(({ operation }) => operation === side));
	};
	for (let round = 0; round < ROUNDS_MAX; round++) {
		for (const slug of READ) {
			const [place] = lab.of(slug).places;
			await lab.read(`/collections/${place?.address}?chain=${place?.chain}`);
		}
		await lab.idle();
		await lab.runJob("order-books");
		await lab.idle();
		if (READ.every(isRead)) return;
		lab.advance(LEFT_ALONE_MS);
	}
	throw new Error(`${READ.filter((slug) => !isRead(slug))} were not read in ${ROUNDS_MAX} rounds`);
}
