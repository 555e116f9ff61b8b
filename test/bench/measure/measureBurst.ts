import { isDeepStrictEqual } from "node:util";
import type { Client } from "pg";
import type { Cpu } from "#test/bench/measure/openMarketService.ts";
import {
	PUSHED_PREFIX,
	PUSHED_PREFIX_END,
	type PushedCollection,
	pushFrames,
	type StoredPushes,
} from "#test/bench/measure/pushFrames.ts";
import { runTurn } from "#test/bench/measure/runTurn.ts";
import type { PushingProvider } from "#test/bench/measure/startPushingProvider.ts";
import { percentile } from "#test/bench/report/statistics.ts";

export type Burst = {
	/** From before the first push was sent to the commit of the last. */
	storedSeconds: number;
	/** The cost of that, reads included. */
	cpu: Cpu;
	/** Reads of the pushed collections' pages, over HTTP, until all was stored. */
	reads: ReadTimes;
	/** The same reads before it, with nothing pushed. */
	quietReads: ReadTimes;
};

type ReadTimes = { calls: number; p50Ms: number; p99Ms: number };

export const PUSHES = 5_000;

const JOINED_TIMEOUT_MS = 90_000;
const STORED_TIMEOUT_MS = 120_000;
const POLL_MS = 100;
const QUIET_MS = 6_000;
const READS = { inFlight: 4, warmMs: 0, perSecond: 50 } as const;

type Bursting = {
	url: string;
	provider: PushingProvider;
	db: Client;
	collections: readonly PushedCollection[];
	bill: () => Cpu;
	nowMs: number;
};

/** Pushes thousands of events at once to a listening service, and reads from it meanwhile. */
export async function measureBurst(bursting: Bursting): Promise<Burst> {
	const { url, provider, db, collections, bill, nowMs } = bursting;
	const slugs = collections.map(({ slug }) => slug);
	const isJoined = () => provider.isJoined(slugs);
	await until(isJoined, JOINED_TIMEOUT_MS, () => "the stream was not joined");
	const ask = createReader(url, slugs);
	const quiet = await runTurn({ ...READS, countMs: QUIET_MS }, ask);
	const { frames, stored } = pushFrames(PUSHES, { collections, nowMs });
	const done = new AbortController();
	const clock = () => (done.signal.aborted ? Number.POSITIVE_INFINITY : performance.now());
	const reading = runTurn({ ...READS, countMs: STORED_TIMEOUT_MS, nowMs: clock }, ask);
	let last: StoredPushes | undefined;
	const isStored = async () => {
		last = await storedOf(db, slugs);
		return isDeepStrictEqual({ ...last }, stored);
	};
	const before = bill();
	const beganMs = performance.now();
	await provider.push(frames);
	await until(isStored, STORED_TIMEOUT_MS, () => {
		return `of ${JSON.stringify(stored)} only ${JSON.stringify(last)} was stored`;
	});
	const storedSeconds = (performance.now() - beganMs) / 1_000;
	const after = bill();
	done.abort();
	const { delaysMs } = await reading;
	return {
		storedSeconds,
		cpu: {
			service: after.service - before.service,
			postgres: after.postgres - before.postgres,
		},
		reads: timesOf(delaysMs),
		quietReads: timesOf(quiet.delaysMs),
	};
}

/**
 * Makes a reader of details, books and activity of these collections, in turn; each by another
 * client.
 */
function createReader(url: string, slugs: readonly string[]): () => Promise<void> {
	const paths = slugs.flatMap((slug) => {
		const path = `/v1/nft-market/collections/${slug}`;
		return [path, `${path}/listings`, `${path}/activity`];
	});
	let next = 0;
	return async () => {
		const turn = next++;
		const response = await fetch(`${url}${paths[turn % paths.length]}?chain=anvil`, {
			headers: { "x-forwarded-for": `10.7.${(turn >> 8) & 255}.${turn & 255}` },
		});
		await response.arrayBuffer();
		if (response.status !== 200) throw new Error(`${response.url}: ${response.status}`);
	};
}

function timesOf(delaysMs: readonly number[]): ReadTimes {
	return {
		calls: delaysMs.length,
		p50Ms: percentile(delaysMs, 50),
		p99Ms: percentile(delaysMs, 99),
	};
}

/** Counts by the primary key of orders, so that it costs the server little. */
async function storedOf(db: Client, slugs: readonly string[]): Promise<StoredPushes | undefined> {
	const { rows } = await db.query<StoredPushes>({
		name: "stored",
		text: `select count(*)::int4 as orders, (count(*) filter (where is_active))::int4 as active,
				(select count(*)::int4 from market_index.unconfirmed) as events
			from market_index.sync as s join market_index.market_order as o using (collection_id)
			where s.provider_slug = any($1) and o.order_hash >= $2 and o.order_hash < $3`,
		values: [slugs, Buffer.from(PUSHED_PREFIX, "hex"), Buffer.from(PUSHED_PREFIX_END, "hex")],
	});
	return rows[0];
}

async function until(
	condition: () => boolean | Promise<boolean>,
	timeoutMs: number,
	problem: () => string,
): Promise<void> {
	const deadlineMs = performance.now() + timeoutMs;
	while (!(await condition())) {
		if (performance.now() > deadlineMs) throw new Error(problem());
		await Bun.sleep(POLL_MS);
	}
}
