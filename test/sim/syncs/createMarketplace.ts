// Makes the provider and the queue of jobs for simulated syncs of hours.

import type { Clock } from "#core/clock.ts";
import type { NewJob } from "#core/queue.ts";
import { DAY_MS, MINUTE_MS, type sleep } from "#core/time.ts";
import { contractOf } from "#plugins/market-index/testing/marketFixture.ts";

/** A collection of the marketplace: sales and listings stand at even distances. */
export type MarketCollection = {
	slug: string;
	address: string;
	salesPerDay: number;
	listings: number;
};

export type MarketCall = {
	atMs: number;
	path: string;
	/** What was asked for, whenever: the same again is a page that was read twice. */
	page: string;
	/** Of a list of events that was read before, what came since. */
	isRefresh: boolean;
	status: number;
};

export type Marketplace = {
	fetch: typeof fetch;
	calls: MarketCall[];
	/** Sales of a collection between two times, by their transaction. */
	salesOf(collection: MarketCollection, fromMs: number, untilMs: number): string[];
	/** Knows one more collection. */
	add(collection: MarketCollection): void;
	settings: MarketSettings;
};

export type MarketSettings = {
	callsPerMinute: number;
	/** How long an answer takes. */
	answerMs: number;
	/** An answer in place of the usual one. */
	instead: (url: URL, callsBefore: number) => Response | null;
};

const LISTED_ETH = "500000000000000000";

const STATS = {
	total: {
		...{ volume: 12, volume_symbol: "ETH", sales: 3 },
		...{ num_owners: 40, floor_price: 0.5, floor_price_symbol: "ETH" },
	},
	intervals: [],
};

/**
 * The provider's HTTP interface over collections that trade by the clock, for syncs of hours. It
 * pages, counts and refuses as the real one does; answers come after a while.
 */
export function createMarketplace(
	collections: readonly MarketCollection[],
	{ clock, wait }: { clock: Clock; wait: typeof sleep },
): Marketplace {
	const startMs = clock.nowMs() - 2 * DAY_MS;
	const bySlug = new Map<string, MarketCollection>();
	const byAddress = new Map<string, MarketCollection>();
	const add = (one: MarketCollection) => {
		bySlug.set(one.slug, one);
		byAddress.set(one.address, one);
	};
	for (const one of collections) add(one);
	const calls: MarketCall[] = [];
	const settings: MarketSettings = { callsPerMinute: 120, answerMs: 300, instead: () => null };
	let allowed: number[] = [];

	const answer = async (input: unknown): Promise<Response> => {
		const url = new URL(String(input));
		const atMs = clock.nowMs();
		const { searchParams: query } = url;
		const page = `${url.pathname}?${query.get("next") ?? query.get("before") ?? ""}`;
		allowed = allowed.filter((one) => one > atMs - MINUTE_MS);
		const [oldest] = allowed;
		const isAllowed = allowed.length < settings.callsPerMinute;
		const status = isAllowed ? 200 : 429;
		const call = { atMs, path: url.pathname, page, isRefresh: isRefresh(url, atMs), status };
		calls.push(call);
		if (isAllowed) allowed.push(atMs);
		await wait(settings.answerMs);
		if (!isAllowed) {
			const seconds = Math.ceil(((oldest ?? atMs) + MINUTE_MS - atMs) / 1_000);
			const headers = { "retry-after": String(seconds) };
			return new Response('{"detail":"Request was throttled."}', { status: 429, headers });
		}
		const response = settings.instead(url, calls.length - 1) ?? respond(url);
		call.status = response.status;
		return response;
	};

	function respond(url: URL): Response {
		const [, , , kind, ...rest] = url.pathname.split("/");
		const slug = kind === "collections" ? rest[0] : rest[1];
		const found = kind === "chain" ? byAddress.get(rest[2] ?? "") : bySlug.get(slug ?? "");
		if (!found) return new Response("{}", { status: 404 });
		if (kind === "chain") return Response.json({ ...found, collection: found.slug });
		if (kind === "events") return Response.json(events(found, url.searchParams));
		if (kind === "listings") return Response.json(listings(found, url.searchParams));
		return Response.json(rest[1] === "stats" ? STATS : detail(found));
	}

	const stepMs = ({ salesPerDay }: MarketCollection) => DAY_MS / salesPerDay;
	/** The index of the last sale that was until then. */
	const lastBy = (collection: MarketCollection, ms: number) =>
		Math.floor((Math.min(ms, clock.nowMs()) - startMs) / stepMs(collection));

	function events(collection: MarketCollection, query: URLSearchParams) {
		const limit = Number(query.get("limit"));
		const next = query.get("next");
		const before = Number(query.get("before") ?? Number.MAX_SAFE_INTEGER) * 1_000;
		const after = Number(query.get("after") ?? 0) * 1_000;
		const first = next === null ? lastBy(collection, before) : Number(atob(next)) - 1;
		const rows = [];
		for (let index = first; index >= 0 && rows.length < limit; index--) {
			const atMs = startMs + index * stepMs(collection);
			if (atMs < after) return { asset_events: rows };
			rows.push(saleOf(collection, index, atMs));
		}
		return { asset_events: rows, next: btoa(String(first - rows.length + 1)) };
	}

	return {
		fetch: answer as unknown as typeof fetch,
		calls,
		add,
		settings,
		salesOf(collection, fromMs, untilMs) {
			const first = Math.max(Math.ceil((fromMs - startMs) / stepMs(collection)), 0);
			const last = lastBy(collection, untilMs);
			return Array.from({ length: Math.max(last - first + 1, 0) }, (_, at) =>
				hashOf(collection, first + at),
			);
		},
	};
}

/** Jobs in line, each key once, by priority and then by when they came. */
export function createLine() {
	let jobs: NewJob[] = [];
	return {
		async add(_tx: unknown, added: readonly NewJob[]) {
			const keys = new Set(added.map(({ key }) => key));
			const ours = added.filter(({ task }) => task === "market-index.full-sync");
			jobs = [...jobs.filter(({ key }) => !keys.has(key)), ...ours];
		},
		take(): NewJob | undefined {
			const first = jobs.toSorted((a, b) => (a.priority ?? 0) - (b.priority ?? 0))[0];
			jobs = jobs.filter((job) => job !== first);
			return first;
		},
	};
}

/** Whether less than a day of events is asked for. */
function isRefresh({ searchParams }: URL, atMs: number): boolean {
	const afterMs = Number(searchParams.get("after") ?? 0) * 1_000;
	return searchParams.get("next") === null && afterMs > atMs - DAY_MS / 2;
}

function listings({ address, listings: count }: MarketCollection, query: URLSearchParams) {
	const limit = Number(query.get("limit"));
	const from = Number(query.get("next") ?? 0);
	const rows = Array.from({ length: Math.max(Math.min(limit, count - from), 0) }, (_, at) => ({
		order_hash: `0x${(from + at + 1).toString(16).padStart(64, "0")}`,
		chain: "ethereum",
		protocol_data: {
			parameters: {
				offerer: contractOf(0xaaaa),
				offer: [
					{ itemType: 2, token: address, identifierOrCriteria: `${from + at}`, startAmount: "1" },
				],
				consideration: [],
			},
		},
		asset: { identifier: `${from + at}`, contract: address },
		remaining_quantity: 1,
		price: { current: { currency: "ETH", decimals: 18, value: LISTED_ETH } },
		status: "ACTIVE",
		type: "basic",
	}));
	return { listings: rows, ...(from + limit < count && { next: `${from + limit}` }) };
}

function detail({ slug, address }: MarketCollection) {
	return {
		...{ collection: slug, name: slug, is_disabled: false, total_supply: 100 },
		contracts: [{ address, chain: "ethereum" }],
	};
}

function saleOf(collection: MarketCollection, index: number, atMs: number) {
	const { address, slug } = collection;
	const timestamp = Math.floor(atMs / 1_000);
	return {
		...{ event_type: "sale", event_timestamp: timestamp, closing_date: timestamp },
		...{ transaction: hashOf(collection, index), chain: "ethereum", quantity: 1 },
		...{ seller: contractOf(0xaaaa), buyer: contractOf(0xbbbb) },
		payment: { quantity: LISTED_ETH, decimals: 18, symbol: "ETH" },
		nft: { identifier: `${index}`, collection: slug, contract: address, token_standard: "erc721" },
	};
}

function hashOf({ address }: MarketCollection, index: number): string {
	return `0x${address.slice(-8)}${index.toString(16).padStart(56, "0")}`;
}
