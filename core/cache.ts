// Keeps whole pages: in this process, and in Redis for all processes.

import { randomUUID } from "node:crypto";
import { LRUCache } from "lru-cache";
import { z } from "zod";
import type { Bus } from "#core/bus.ts";
import type { Clock } from "#core/clock.ts";
import { Fault } from "#core/fault.ts";
import type { Log } from "#core/log.ts";
import type { Redis } from "#core/redis.ts";
import { sleep } from "#core/time.ts";

/** Says where an answer came from; the value of the header `x-svc-cache`. */
export type CacheOutcome = "hit" | "stale" | "miss";

export type CachedPage = { outcome: CacheOutcome; body: string };

/**
 * Whole answers, kept as text: fresh for a while, then served stale while one caller rebuilds.
 *
 * Keys carry the version of what they hold, so a new release never reads an old page.
 */
export type PageCache = {
	/**
	 * Returns the page of a key. `moment` names the state of the world that the caller wants: a
	 * page built at another moment is out of date, and is returned (as stale) only where
	 * rebuilding it fails.
	 */
	get(key: string, rebuild: () => Promise<string>, moment?: string): Promise<CachedPage>;
	/** Drops every page. */
	clear(): void;
};

export type PageCacheOptions = {
	clock: Clock;
	log: Log;
	freshMs: number;
	keptMs: number;
	/** Characters of all bodies together. */
	sizeMax: number;
};

/** A page as it was got: built now, or somewhere else some time ago. */
export type LoadedPage = { outcome: CacheOutcome; body: string; ageMs: number; moment: string };

/** Holds the pages of this process, built by any process. */
export type PageTier = {
	/**
	 * Returns the page kept here while it is fresh; else `load` gets it, once for all who ask. A
	 * page of another moment is returned where `load` fails and the page is not too old.
	 */
	get(of: PageName, load: () => Promise<LoadedPage>): Promise<CachedPage>;
	put(key: string, page: Omit<LoadedPage, "outcome">): void;
	clear(): void;
	/** Changes with each clearing: what was begun before it must not be kept after it. */
	generation(): number;
};

/** Names one version of a page: its key, and the moment of the data in it (see `PageCache`). */
export type PageName = { key: string; moment: string };

export type SharedPage = { body: string; ageMs: number; moment: string };
export type Looked = { page: SharedPage | null; generation: string };

/** Whole pages in Redis, for all processes. Nothing here fails: without Redis it knows nothing. */
export type SharedPages = {
	/** Null while Redis is away. */
	look(key: string): Promise<Looked | null>;
	store(of: PageName, body: string, generation: string): Promise<void>;
	/**
	 * Returns a function that releases the lock, for the one process that should build the page now.
	 * Null for others.
	 */
	lock(of: PageName): Promise<(() => Promise<void>) | null>;
	/** Makes every page that was stored so far, or is being built now, invisible. */
	dropAll(): void;
};

type Page = { body: string; builtAtMs: number; moment: string };
type Loading = { page: Page; outcome: CacheOutcome };

type Store = { generation: string; unlock: (() => Promise<void>) | null };

/** Limits how long a builder may take before another process builds the page too. */
const LOCK_MS = 5_000;

/** Larger pages stay in the process that built them. */
const BODY_CHARACTERS_MAX = 4_000_000;

/** The key of the generation, one for the whole deployment. */
const GENERATION = "generation";

const READ = `return {redis.call('get', KEYS[1]) or '', redis.call('pttl', KEYS[1])}`;
const UNLOCK = `
if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('del', KEYS[1])
`;

const pageSchema = z.tuple([z.string(), z.int()]);
const generationSchema = z.string().nullable();

/** The bus channel on which a clearing is announced. */
const CLEARED_CHANNEL = "pages-cleared";

/** The interval at which a cold page's readers check for it, while another process builds it. */
const LOOK_EVERY_MS = 25;
const LOOKS_MAX = 40;

/** Makes the page cache of one process. */
export function inProcessPageCache(options: PageCacheOptions): PageCache {
	const pages = createPageTier(options);
	return {
		get: (key, rebuild, moment = "") =>
			pages.get({ key, moment }, async () => {
				return { outcome: "miss", body: await rebuild(), ageMs: 0, moment };
			}),
		clear: pages.clear,
	};
}

/**
 * Makes the page cache of all processes: a tier in each, and one behind them in Redis.
 *
 * A page that is fresh here is answered without Redis. Else Redis is asked, and of the processes
 * that find nothing fresh there one builds; the others answer the stale page, or wait a second for
 * the new one. A page's age goes with it, so two tiers keep nothing longer than one would. While
 * Redis is away this is the cache of one process.
 */
export function redisPageCache(options: PageCacheOptions & { redis: Redis; bus: Bus }): PageCache {
	const { bus, log, freshMs } = options;
	const here = createPageTier(options);
	const shared = sharedPages(options);
	bus.subscribe(CLEARED_CHANNEL, () => here.clear());
	return {
		get: (key, rebuild, moment = "") => {
			const of = { key, moment };
			return here.get(of, () => load(of, rebuild));
		},
		clear() {
			here.clear();
			shared.dropAll();
			bus.publish(CLEARED_CHANNEL, "");
		},
	};

	async function load(of: PageName, rebuild: () => Promise<string>): Promise<LoadedPage> {
		const looked = await shared.look(of.key);
		if (!looked) return built(of, await rebuild());
		const { page } = looked;
		const isOfNow = page?.moment === of.moment;
		if (page && isOfNow && page.ageMs < freshMs) return { outcome: "hit", ...page };
		const unlock = await shared.lock(of);
		const store = { generation: looked.generation, unlock };
		if (page && isOfNow) {
			if (unlock) void refresh(of, rebuild, store);
			return { outcome: "stale", ...page };
		}
		try {
			if (unlock) return built(of, await buildShared(of, rebuild, store));
			const awaited = await waitFor(shared, of);
			if (awaited) return { outcome: "hit", ...awaited };
			return built(of, await buildShared(of, rebuild, store));
		} catch (error) {
			// Of another moment, and better than none.
			if (!page) throw error;
			logRebuildFailure(log, of.key, error);
			return { outcome: "stale", ...page };
		}
	}

	async function refresh(of: PageName, rebuild: () => Promise<string>, store: Store) {
		const begun = here.generation();
		const { key, moment } = of;
		try {
			const body = await buildShared(of, rebuild, store);
			if (begun === here.generation()) here.put(key, { body, ageMs: 0, moment });
		} catch (error) {
			logRebuildFailure(log, key, error);
		}
	}

	async function buildShared(of: PageName, rebuild: () => Promise<string>, store: Store) {
		try {
			const body = await rebuild();
			await shared.store(of, body, store.generation);
			return body;
		} finally {
			// Not waited for: whoever asked has its page.
			void store.unlock?.();
		}
	}
}

/** Makes the pages of this process: each is loaded once for all who ask, and kept for a while. */
export function createPageTier(options: PageCacheOptions): PageTier {
	const { clock, freshMs, keptMs } = options;
	const pages = new LRUCache<string, Page>({
		maxSize: options.sizeMax,
		sizeCalculation: (page) => page.body.length + 1,
	});
	let loading = new Map<string, Promise<Loading>>();
	let generation = 0;

	return {
		async get(of, load) {
			const page = pages.get(of.key);
			const isOfNow = page?.moment === of.moment;
			const ageMs = page ? clock.nowMs() - page.builtAtMs : Number.POSITIVE_INFINITY;
			if (page && isOfNow && ageMs < freshMs) return { outcome: "hit", body: page.body };
			const loaded = loadOnce(of, load);
			const stale: CachedPage | null =
				page && ageMs < keptMs ? { outcome: "stale", body: page.body } : null;
			// The answer is already known; a failed rebuild leaves it until it is too old.
			if (stale && isOfNow) return stale;
			try {
				const { outcome, page: got } = await loaded;
				return { outcome, body: got.body };
			} catch (error) {
				if (stale) return stale;
				throw error;
			}
		},
		put: (key, page) => void keep(key, page),
		clear() {
			pages.clear();
			generation += 1;
			// Pages that are loading now may show what was there before the clearing: they are not kept.
			loading = new Map();
		},
		generation: () => generation,
	};

	/** Loads a missing page once for all requests that ask for it in that moment. */
	function loadOnce(of: PageName, load: () => Promise<LoadedPage>): Promise<Loading> {
		const { key } = of;
		const name = `${of.moment}\n${key}`;
		const running = loading.get(name);
		if (running) return running;
		const loads = loading;
		const loaded = store(key, load).finally(() => loads.delete(name));
		loads.set(name, loaded);
		// Said once for each build, however many wait for it; a waiter on a cold page throws it too.
		loaded.catch((error) => logRebuildFailure(options.log, key, error));
		return loaded;
	}

	async function store(key: string, load: () => Promise<LoadedPage>): Promise<Loading> {
		const begun = generation;
		const { outcome, ...page } = await load();
		if (begun === generation) return { outcome, page: keep(key, page) };
		return { outcome, page: pageOf(page) };
	}

	function pageOf({ body, ageMs, moment }: Omit<LoadedPage, "outcome">): Page {
		return { body, moment, builtAtMs: clock.nowMs() - ageMs };
	}

	function keep(key: string, loaded: Omit<LoadedPage, "outcome">): Page {
		const page = pageOf(loaded);
		pages.set(key, page);
		return page;
	}
}

/**
 * Logs that a page was not rebuilt. A fault is expected, told by whoever raised it, and answered to
 * a client who waits for the page: a line for each page of an upstream that is away is a flood.
 */
export function logRebuildFailure(
	log: Pick<Log, "warn" | "debug">,
	key: string,
	error: unknown,
): void {
	if (error instanceof Fault) log.debug("a page was not rebuilt", { key, code: error.code });
	else log.warn("a page was not rebuilt", { key, error });
}

/**
 * Makes the pages that all processes share in Redis.
 *
 * A page's age is told by what is left of its expiry: the server's clock alone, whatever the
 * clocks of the machines that build and read. Each page carries the generation in which its
 * building began, and counts only while that is the current one; and the moment that it is of.
 */
export function sharedPages(options: { redis: Redis; keptMs: number }): SharedPages {
	const { redis, keptMs } = options;
	const generationKey = redis.key("pages", GENERATION);
	/** The generation that could not be stored in Redis yet. */
	let owed: string | null = null;

	/**
	 * Stores a clearing in Redis, before anything is read: else one during an outage would bring the
	 * old pages back.
	 */
	async function settle(): Promise<void> {
		const generation = owed;
		if (generation === null) return;
		await redis.send("SET", [generationKey, generation]);
		if (owed === generation) owed = null;
	}

	async function look(key: string): Promise<Looked> {
		await settle();
		const [stored, current] = await Promise.all([
			redis.send("EVAL", [READ, 1, redis.key("page", key)]),
			redis.send("GET", [generationKey]),
		]);
		const [text, leftMs] = pageSchema.parse(stored);
		const generation = generationSchema.parse(current) ?? "";
		const mark = `${generation}\n`;
		if (leftMs <= 0 || !text.startsWith(mark)) return { page: null, generation };
		const cut = text.indexOf("\n", mark.length);
		const moment = text.slice(mark.length, cut);
		return { page: { body: text.slice(cut + 1), ageMs: keptMs - leftMs, moment }, generation };
	}

	async function lock({ key, moment }: PageName) {
		const name = redis.key("building", `${key}${moment}`);
		const token = randomUUID();
		if ((await redis.send("SET", [name, token, "NX", "PX", LOCK_MS])) !== "OK") return null;
		// It runs out by itself where this is not heard.
		return () => redis.send("EVAL", [UNLOCK, 1, name, token]).then(nothing, nothing);
	}

	return {
		look: (key) => look(key).catch(() => null),
		async store({ key, moment }, body, generation) {
			if (body.length > BODY_CHARACTERS_MAX) return;
			const args = [redis.key("page", key), `${generation}\n${moment}\n${body}`, "PX", keptMs];
			await redis.send("SET", args).catch(nothing);
		},
		lock: (of) => lock(of).catch(() => null),
		dropAll() {
			owed = randomUUID();
			settle().catch(nothing);
		},
	};
}

function built({ moment }: PageName, body: string): LoadedPage {
	return { outcome: "miss", body, ageMs: 0, moment };
}

/** Waits for another process to build a page; null where it takes too long, or Redis is away. */
async function waitFor(shared: SharedPages, of: PageName): Promise<SharedPage | null> {
	for (let looks = 0; looks < LOOKS_MAX; looks++) {
		await sleep(LOOK_EVERY_MS);
		const looked = await shared.look(of.key);
		if (!looked) return null;
		if (looked.page?.moment === of.moment) return looked.page;
	}
	return null;
}

function nothing(): void {}
