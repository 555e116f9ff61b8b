// Measures reads of a large index beside a small one, cached and uncached.

import { Client } from "pg";
import { socketUrl } from "#core/db/embedded/layout.ts";
import { startEmbeddedServer } from "#core/db/embedded/startEmbeddedServer.ts";
import { silentLog } from "#core/log.ts";
import { indexSizes } from "#test/bench/fill/fillIndex.ts";
import { BUSY_ACCOUNT, type FillOptions } from "#test/bench/fill/fillMonth.ts";
import { untilCaughtUp } from "#test/bench/measure/indexProbe.ts";
import { type Ask, openFilled } from "#test/bench/measure/openMarketService.ts";
import {
	openYoungService,
	type YoungService,
	type YoungServiceOptions,
} from "#test/bench/measure/openYoungService.ts";
import { type Crowds, compareCrowds } from "#test/bench/measure/runFanOut.ts";
import { openDataDir, type Scope } from "#test/bench/measure/startServiceProcess.ts";
import { openBareReads } from "#test/bench/reference/openBareReads.ts";
import { percentile } from "#test/bench/statistics.ts";

export type ReadTimes = { p50Ms: number; p99Ms: number };

/** One read at both sizes of index. */
export type ReadComparison = {
	name: string;
	calls: number;
	small: ReadTimes;
	large: ReadTimes;
	/** Large over small. */
	p50Ratio: number;
	p99Ratio: number;
};

/** A read as the comparison calls it, with the path of its n-th call. */
export type ReadPath = { name: string; of(turn: number): string };

/** Pages that crowds ask for, each against bare Bun with the same bytes. */
export type CachedPages = {
	/** The list of collections from the page cache. */
	list: Crowds;
	compressedList: Crowds;
	/** 200 events with a marketplace's payload of each. */
	compressedActivity: Crowds;
};

export type MarketRead = { name: string; calls: number; service: ReadTimes; bare: ReadTimes };

export type ReadsOptions = {
	scope: Scope;
	calls?: number;
	/** Smaller sizes, to test the bench itself. */
	sizes?: { small: FillOptions; large: FillOptions };
	say(line: string): void;
	/** Measures more on the large index, after the reads and before it is removed. */
	afterwards?(large: { socketDir: string; database: string; nowMs: number }): Promise<void>;
};

/** What differs from event to event is a hash of its place. */
const PAYLOAD = `jsonb_build_object(
	'event_type', 'sale', 'chain', 'ethereum', 'order_hash', '0x' || encode(block_hash, 'hex'),
	'protocol_address', '0x0000000000000068f116a894984e2db1123eb395',
	'image_url', 'https://images.example/raw/' || md5(log_index::text || token_id::text) || '.png',
	'nft', jsonb_build_object(
		'identifier', token_id::text, 'collection', 'tidal-cats', 'token_standard', 'erc721',
		'name', 'Tidal Cat #' || token_id::text,
		'description', repeat('A cat of the tidal pools, drawn by the sea and by nobody else. ', 14),
		'image_url', 'https://images.example/raw/' || md5(token_id::text) || '.png',
		'display_image_url', 'https://images.example/shown/' || md5(token_id::text) || '.avif?w=500',
		'metadata_url', 'https://metadata.example/tidal-cats/' || token_id::text || '.json',
		'updated_at', occurred_at::text, 'is_disabled', false, 'is_nsfw', false),
	'traits', (select jsonb_agg(jsonb_build_object(
			'trait_type', (array['Fur', 'Eyes', 'Hat', 'Whiskers', 'Tail', 'Pool', 'Tide', 'Moon'])[n],
			'value', 'Shade ' || (abs(hashtext(token_id::text || n)) % 40),
			'display_type', null, 'max_value', null, 'trait_count', abs(hashtext(n::text)) % 900))
		from generate_series(1, 8) as n),
	'payment', jsonb_build_object(
		'quantity', coalesce(total_raw, 0)::text, 'decimals', 18, 'symbol', 'ETH'))`;

const WARM_UP_CALLS = 20;

/** The total time of a fast read, beyond its least calls. */
const READ_MS_MAX = 4_000;

/**
 * The most traded collections, in turn: their pages are full at either size, so both answers are as
 * long.
 */
const COLLECTIONS = 8;

/** Collections 5 and 10 are on the other chain; both answer without its name. */
const slugOf = (turn: number) => `collection-${1 + (turn % COLLECTIONS)}`;

export const readPaths: readonly ReadPath[] = [
	{ name: "discover", of: () => "/discover" },
	{ name: "trending 24h", of: () => "/trending" },
	{ name: "trending 7d", of: () => "/trending?window=7d" },
	{ name: "collections", of: () => "/collections?scope=all" },
	{ name: "detail", of: (turn) => `/collections/${slugOf(turn)}` },
	{ name: "candles 1m", of: (turn) => `/collections/${slugOf(turn)}/candles?interval=1m` },
	{ name: "candles 1h", of: (turn) => `/collections/${slugOf(turn)}/candles?interval=1h` },
	{ name: "candles 1d", of: (turn) => `/collections/${slugOf(turn)}/candles?interval=1d` },
	{ name: "activity", of: (turn) => `/collections/${slugOf(turn)}/activity` },
	{ name: "account", of: () => `/accounts/${BUSY_ACCOUNT}` },
	{ name: "account activity", of: () => `/accounts/${BUSY_ACCOUNT}/activity` },
	{ name: "account sold", of: () => `/accounts/${BUSY_ACCOUNT}/activity?type=sold` },
	{
		name: "account of collection",
		of: (turn) => `/accounts/${BUSY_ACCOUNT}/activity?slug=${slugOf(turn)}`,
	},
	{ name: "account result", of: () => `/accounts/${BUSY_ACCOUNT}/result` },
];

const LIST = "/v1/nft-market/collections?chain=anvil";
const TURNS = 3;
const EVENTS = 200;
/** So many blocks give a collection that many events. */
const BLOCKS_MORE = 60;

const CALLS = 300;

/** Collections for which the provider has told everything. */
const MARKET_COLLECTIONS = 100;

const paths: readonly ReadPath[] = [
	{ name: "cold list", of: () => "/collections?chain=ethereum" },
	{
		name: "detail",
		of: (turn) => `/collections/collection-${1 + (turn % MARKET_COLLECTIONS)}`,
	},
];

const LARGE = "large";
/** How much more often a fast read is called. */
const QUICK_TIMES = 5;

/**
 * Measures reads of an index of 10 million events, a million of them of the last 24 hours, beside
 * one of a hundredth of that, on one embedded server with its usual settings. Takes a few minutes
 * and 7 GB.
 */
export async function runReads(options: ReadsOptions): Promise<ReadComparison[]> {
	const { scope, calls = CALLS, sizes = indexSizes, say } = options;
	const data = await openDataDir(scope);
	const server = await startEmbeddedServer({ dataDir: data.path, log: silentLog });
	const stopServer = scope.defer(server.close);
	const small = await openFilled(scope, { server, name: "small", fill: sizes.small, say });
	const large = await openFilled(scope, { server, name: LARGE, fill: sizes.large, say });
	say("reading");
	const asks = { small: small.ask, large: large.ask };
	const often = { callsMin: calls, callsMax: QUICK_TIMES * calls };
	const compared = await compareReads(asks, readPaths, often);
	await small.close();
	await large.close();
	const { socketDir } = data;
	await options.afterwards?.({ socketDir, database: LARGE, nowMs: sizes.large.nowMs });
	await stopServer();
	await data.remove();
	return compared;
}

/** Measures pages for many clients at once: cached ones, uncompressed and compressed. */
export async function runCachedList(options: YoungServiceOptions): Promise<CachedPages> {
	const { scope } = options;
	// One block for each collection, so that the list has a row for each.
	const young = await openYoungService(options);
	const activity = await fillActivity(young);
	const service = young.service();
	const asked = { scope, service };
	const list = { ...asked, path: LIST, turns: TURNS };
	const pages: CachedPages = {
		list: await compareCrowds({ ...list, acceptEncoding: "" }),
		compressedList: await compareCrowds({ ...list, acceptEncoding: "gzip" }),
		compressedActivity: await compareCrowds({
			...asked,
			path: activity,
			turns: 1,
			acceptEncoding: "gzip",
		}),
	};
	await young.close();
	return pages;
}

/**
 * Gives every stored event a provider's payload of 3 kB: as long and as repetitive as real ones, so
 * that a page of 200 is 640 kB and compresses to a tenth of it. Returns the contract of the
 * collection with the most events.
 */
async function addPayloads(socketDir: string): Promise<string> {
	const client = new Client({ connectionString: socketUrl(socketDir), application_name: "bench" });
	await client.connect();
	try {
		await client.query(`update market_index.event set payload = ${PAYLOAD}`);
		const { rows } = await client.query<{ contract: string }>(
			`select '0x' || encode(address, 'hex') as contract from market_index.collection as c
			order by (select count(*) from market_index.event where collection_id = c.id) desc limit 1`,
		);
		const [most] = rows;
		if (!most) throw new Error("the index has no collection");
		return most.contract;
	} finally {
		await client.end();
	}
}

/**
 * Measures uncached pages of a small index with full tables of the provider's, beside one bare
 * statement that reads the same rows, asked in turn.
 */
export async function runMarketReads(options: {
	scope: Scope;
	say(line: string): void;
}): Promise<MarketRead[]> {
	const { scope, say } = options;
	const data = await openDataDir(scope);
	const server = await startEmbeddedServer({ dataDir: data.path, log: silentLog });
	const stopServer = scope.defer(server.close);
	const fill = indexSizes.small;
	const index = await openFilled(scope, { server, name: "market", fill, say });
	const bare = await openBareReads(index.connectionString, fill.nowMs);
	const closeBare = scope.defer(bare.close);
	const compared = await compareReads({ small: bare.ask, large: index.ask }, paths, {
		callsMin: CALLS,
	});
	await closeBare();
	await index.close();
	await stopServer();
	await data.remove();
	return compared.map(({ name, calls, small, large }) => {
		return { name, calls, service: large, bare: small };
	});
}

/**
 * Times the same calls on a small and on a large index, in turn: other work of the machine slows
 * both. A fast read is called more often, since its slowest calls are the machine's: one in a
 * hundred of 200 is the third worst.
 */
export async function compareReads(
	asks: { small: Ask; large: Ask },
	paths: readonly ReadPath[],
	{ callsMin, callsMax = callsMin }: { callsMin: number; callsMax?: number },
): Promise<ReadComparison[]> {
	const compared: ReadComparison[] = [];
	for (const path of paths) {
		const small: number[] = [];
		const large: number[] = [];
		const endMs = performance.now() + READ_MS_MAX;
		for (let turn = -WARM_UP_CALLS; turn < callsMax; turn++) {
			if (turn >= callsMin && performance.now() > endMs) break;
			const url = path.of(turn + WARM_UP_CALLS);
			const smallMs = await timed(asks.small, url);
			const largeMs = await timed(asks.large, url);
			if (turn < 0) continue;
			small.push(smallMs);
			large.push(largeMs);
		}
		const times = { small: timesOf(small), large: timesOf(large) };
		compared.push({
			name: path.name,
			calls: small.length,
			...times,
			p50Ratio: times.large.p50Ms / times.small.p50Ms,
			p99Ratio: times.large.p99Ms / times.small.p99Ms,
		});
	}
	return compared;
}

/**
 * Returns the path of a page of as many events as a page can have, each with a provider's payload.
 */
async function fillActivity({ chain, data, service }: YoungService): Promise<string> {
	await chain.mine(BLOCKS_MORE);
	await untilCaughtUp(chain.node, data.socketDir);
	const contract = await addPayloads(data.socketDir);
	const path = `/v1/nft-market/collections/${contract}/activity?chain=anvil&limit=${EVENTS}`;
	const answered = await fetch(`${service().url}${path}`);
	const { data: events } = (await answered.json()) as { data: unknown[] };
	if (events.length !== EVENTS) throw new Error(`the page has ${events.length} events`);
	return path;
}

async function timed(ask: Ask, path: string): Promise<number> {
	const beganMs = performance.now();
	await ask(path);
	return performance.now() - beganMs;
}

function timesOf(ms: readonly number[]): ReadTimes {
	return { p50Ms: percentile(ms, 50), p99Ms: percentile(ms, 99) };
}
