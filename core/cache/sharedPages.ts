import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { PageName } from "#core/cache/createPageTier.ts";
import type { Redis } from "#core/redis/Redis.ts";

/** What a builder may take before another process builds the page too. */
const LOCK_MS = 5_000;

/** Larger pages stay in the process that built them. */
const BODY_CHARACTERS_MAX = 4_000_000;

/** One name for the whole deployment. */
const GENERATION = "generation";

const READ = `return {redis.call('get', KEYS[1]) or '', redis.call('pttl', KEYS[1])}`;
const UNLOCK = `
if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('del', KEYS[1])
`;

const pageSchema = z.tuple([z.string(), z.int()]);
const generationSchema = z.string().nullable();

export type SharedPage = { body: string; ageMs: number; moment: string };
export type Looked = { page: SharedPage | null; generation: string };

/** Whole pages in Redis, for all processes. Nothing here fails: without Redis it knows nothing. */
export type SharedPages = {
	/** Null while Redis is away. */
	look(key: string): Promise<Looked | null>;
	store(of: PageName, body: string, generation: string): Promise<void>;
	/** For the one process that should build the page now: how to let it go. Null for others. */
	lock(of: PageName): Promise<(() => Promise<void>) | null>;
	/** Makes every page that was stored so far, or is being built now, invisible. */
	dropAll(): void;
};

/**
 * A page's age is told by what is left of its expiry: the server's clock alone, whatever the
 * clocks of the machines that build and read. Each page carries the generation in which its
 * building began, and counts only while that is the current one; and the moment that it is of.
 */
export function sharedPages(options: { redis: Redis; keptMs: number }): SharedPages {
	const { redis, keptMs } = options;
	const generationKey = redis.key("pages", GENERATION);
	/** The generation that Redis has not heard of yet. */
	let owed: string | null = null;

	/** Before anything is read: else a clearing during an outage would bring the old pages back. */
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

function nothing(): void {}
