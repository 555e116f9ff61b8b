import type { ConformanceLab } from "#test/conformance/provider/lab/openConformanceLab.ts";
import type { Ask, Expect } from "#test/e2e/oracle/createAsk.ts";
import type { Expected } from "#test/e2e/oracle/differences.ts";
import { collectionOf } from "#test/e2e/oracle/expected/collectionOf.ts";
import { dropsOf } from "#test/e2e/oracle/expected/dropsOf.ts";
import { eventOf } from "#test/e2e/oracle/expected/eventOf.ts";
import { discoverRowOf, hitOf, trendingRowOf } from "#test/e2e/oracle/expected/rowsOf.ts";
import {
	factsSince,
	WINDOWS,
	type Window,
	windowStart,
} from "#test/e2e/oracle/expected/windowFigures.ts";
import type { Fact, View } from "#test/e2e/oracle/Known.ts";
import { notAFigure } from "#test/e2e/oracle/notAFigure.ts";

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
				normalized: rows(views, body.normalized, (view) => collectionOf(view, nowMs)),
				data: { collections: raw },
				freshness,
			});
			await ask(() => `/collections?${scope}&mode=${mode}&limit=${--limit}`, expect);
		}
	}
	for (const chain of ["?chain=base&", "?chain=ethereum&", "?chain=apechain&", "?"]) {
		const windows = Object.keys(WINDOWS) as Window[];
		for (const window of isWhole || chain === "?" ? windows : windows.slice(-1)) {
			await ask(`/trending${chain}window=${window}&limit=${ALL}`, (views, nowMs, body) => ({
				rows: rows(views, body.rows, (view) => trendingRowOf(view, nowMs, window)),
				freshness,
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
			page,
		}));
	}
}

type Row = { slug: string; chain: string; contractAddress?: string };

/** Returns each expected row by what is known of its own collection, whichever rows there are. */
function rows(
	views: readonly View[],
	told: readonly Row[],
	of: (view: View) => Expected,
): Expected[] {
	return told.map((row) => of(viewOf(views, row)));
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

function discoverOf(views: readonly View[], nowMs: number, body: any): Expected {
	const hourMs = windowStart(nowMs, "1h");
	const minting = views.filter(({ known }) => factsSince(known, "mint", hourMs).length > 0);
	const ever = views.filter(({ known }) => factsSince(known, "sale", 0).length > 0);
	const row = (view: View) => discoverRowOf(view, nowMs);
	const has = (told: readonly Row[], wanted: readonly View[]): Expected => {
		const got = told.map((one) => viewOf(views, one));
		const missing = wanted.filter((view) => !got.includes(view));
		if (missing.length > 0) return () => `${missing.map(({ slug }) => slug)} are missing`;
		return rows(views, told, row);
	};
	return {
		trending: rows(views, body.trending, row),
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
