// Runs `svc conformance provider`: read-only cases against any marketplace, within its limits.

import { Fault } from "#core/fault.ts";
import type { CliCommand } from "#core/plugin/Plugin.ts";
import type {
	Provider,
	ProviderCollection,
	ProviderOrder,
	ProviderPage,
} from "#plugins/provider/contract.ts";
import { createProvider, offStream } from "#plugins/provider/createProvider.ts";
import { PROVIDER_BASE_URL_DEFAULT } from "#plugins/provider/limits.ts";

/** What a case found. `skipped`: there was nothing to try it with, which is no proof. */
export type CaseEnd = { kind: "held" } | { kind: "broken" | "skipped"; why: string };

export type CaseResult = { id: string; promise: string } & CaseEnd;

/** A promise of the published document that a call of ours relies on. */
type Case = { id: string; promise: string; run(trial: Trial): Promise<CaseEnd> };

/** The provider under trial, and a collection of it that has orders, where one was found. */
type Trial = { provider: Provider; slug: string | null; asked: Asked };

type Asked = { purpose: "background"; signal: AbortSignal };

const USAGE = "conformance provider [--base-url <url>] [--slug <collection>]";
const EXIT_USAGE = 2;
const PAGE = 5;
/** Collections of the first list that are looked at for one with listings. */
const TRIED_MAX = 5;
const HELD: CaseEnd = { kind: "held" };
const NO_SLUG: CaseEnd = { kind: "skipped", why: "no collection with listings was found" };
/** Longer than a name can be that anybody has. */
const NOBODYS = "no-collection-has-this-name-0f4d2c";

/**
 * Tries a marketplace, or a key, before a service uses it. Cases with faults need a server that
 * misbehaves when told, and stay with the tests.
 */
export const conformanceCommand: CliCommand = {
	name: "conformance",
	usage: USAGE,
	summary: "try a marketplace read-only, with PROVIDER_API_KEY; one JSON line a case",
	async run(args, context) {
		const parsed = parseTrial(args, context.env);
		if (!parsed) {
			context.note(`bun run svc ${USAGE}`);
			return EXIT_USAGE;
		}
		const { baseUrl, slug } = parsed;
		const { core, close } = await context.openCore({});
		try {
			const apiKey = context.env["PROVIDER_API_KEY"] || undefined;
			const provider = createProvider({ core, baseUrl, apiKey, stream: offStream });
			const asked: Asked = { purpose: "background", signal: context.interrupted() };
			let broken = 0;
			for await (const result of runConformance({ provider, slug, asked })) {
				if (result.kind === "broken") broken++;
				context.out(JSON.stringify(result));
			}
			context.note(broken === 0 ? "no case is broken" : `${broken} cases are broken`);
			return broken === 0 ? 0 : 1;
		} finally {
			await close();
		}
	},
};

/** Runs all cases, one after the other, so that a key with few calls is enough. */
export async function* runConformance(trial: Trial): AsyncGenerator<CaseResult> {
	const slug = trial.slug ?? (await findSlug(trial));
	for (const { id, promise, run } of CASES) {
		const end = await run({ ...trial, slug }).catch((error): CaseEnd => {
			if (trial.asked.signal.aborted || !(error instanceof Fault)) throw error;
			// A limit that was reached says nothing of the promise.
			const kind = error.code === "rate_limited" ? "skipped" : "broken";
			return { kind, why: `${error.code}: ${error.privateDetail ?? error.message}` };
		});
		yield { id, promise, ...end };
	}
}

/** The cases; a number is given once and never again. */
const CASES: readonly Case[] = [
	{
		id: "PC-01",
		promise: "a list has rows that can be read, and no more than were asked for",
		run: async ({ provider, asked }) =>
			mustBeReadable(await provider.newest({ ...asked, limit: PAGE })),
	},
	{
		id: "PC-02",
		promise: "a cursor goes on behind its page, without a row of it",
		async run({ provider, asked }) {
			const list = (cursor?: string) => provider.newest({ ...asked, limit: PAGE, cursor });
			return mustGoOn(list, (row: ProviderCollection) => row.slug);
		},
	},
	{
		id: "PC-03",
		promise: "what traded most is a list as any other",
		run: async ({ provider, asked }) =>
			mustBeReadable(await provider.top({ ...asked, limit: PAGE })),
	},
	{
		id: "PC-04",
		promise: "a collection is answered under its own slug, with a contract",
		run: withSlug(async ({ provider, slug, asked }) => {
			const found = await provider.collection(slug, asked);
			if (!found) return broken(`${slug} is in a list and is not known`);
			return found.slug === slug ? HELD : broken(`${slug} was answered as ${found.slug}`);
		}),
	},
	{
		id: "PC-05",
		promise: "a collection has figures",
		run: withSlug(async ({ provider, slug, asked }) =>
			(await provider.stats(slug, asked)) ? HELD : broken(`${slug} has no figures`),
		),
	},
	{
		id: "PC-06",
		promise: "listings can be read, are listings, and cost something",
		run: withSlug(async ({ provider, slug, asked }) => {
			const page = await provider.listings(slug, { ...asked, limit: PAGE });
			const odd = page.items.find(({ side, totalRaw }) => side !== "listing" || totalRaw <= 0n);
			return odd ? broken(`${odd.orderHash} is no listing`) : mustBeReadable(page);
		}),
	},
	{
		id: "PC-07",
		promise: "a cursor of listings goes on behind its page",
		run: withSlug(({ provider, slug, asked }) => {
			const list = (cursor?: string) => provider.listings(slug, { ...asked, limit: PAGE, cursor });
			return mustGoOn(list, (row: ProviderOrder) => row.orderHash);
		}),
	},
	{
		id: "PC-08",
		promise: "best listings come cheapest first",
		run: withSlug(async ({ provider, slug, asked }) => {
			const { items } = await provider.bestListings(slug, { ...asked, limit: PAGE });
			const prices = items.map(({ currency, totalRaw, quantity }) => {
				return { currency, unit: totalRaw / (quantity > 0n ? quantity : 1n) };
			});
			// Prices in two currencies cannot be compared here.
			const isFalling = prices.some(({ currency, unit }, at) => {
				const next = prices[at + 1];
				return next !== undefined && next.currency === currency && next.unit < unit;
			});
			return isFalling ? broken("a dearer listing comes before a cheaper one") : HELD;
		}),
	},
	{
		id: "PC-09",
		promise: "offers can be read, and are offers",
		run: withSlug(async ({ provider, slug, asked }) => {
			const page = await provider.offers(slug, { ...asked, limit: PAGE });
			const odd = page.items.find(({ side }) => side !== "offer");
			return odd ? broken(`${odd.orderHash} is no offer`) : mustBeReadable(page);
		}),
	},
	{
		id: "PC-10",
		promise: "events are of the kinds that were asked for, the newest first",
		run: withSlug(async ({ provider, slug, asked }) => {
			const types = ["sale", "mint"] as const;
			const page = await provider.events(slug, { ...asked, limit: PAGE, types });
			const odd = page.items.find(({ type }) => type !== "sale" && type !== "mint");
			if (odd) return broken(`an event of kind ${odd.type} was not asked for`);
			const times = page.items.map(({ occurredAtMs }) => occurredAtMs);
			const isRising = times.some((atMs, at) => atMs < (times[at + 1] ?? atMs));
			return isRising ? broken("an older event comes before a newer one") : mustBeReadable(page);
		}),
	},
	{
		id: "PC-11",
		promise: "tokens of a collection can be read",
		run: withSlug(async ({ provider, slug, asked }) =>
			mustBeReadable(await provider.nfts({ slug }, { ...asked, limit: PAGE })),
		),
	},
	{
		id: "PC-12",
		promise: "announced mints are a list as any other",
		run: async ({ provider, asked }) =>
			mustBeReadable(await provider.drops({ ...asked, type: "upcoming", limit: PAGE })),
	},
	{
		id: "PC-13",
		promise: "what does not exist is answered as such, and not as a failure",
		run: async ({ provider, asked }) =>
			(await provider.collection(NOBODYS, asked)) === null ? HELD : broken(`${NOBODYS} exists`),
	},
];

function withSlug(run: (trial: Trial & { slug: string }) => Promise<CaseEnd>): Case["run"] {
	return async ({ slug, ...trial }) => (slug === null ? NO_SLUG : run({ ...trial, slug }));
}

function broken(why: string): CaseEnd {
	return { kind: "broken", why };
}

function mustBeReadable(page: ProviderPage<unknown>): CaseEnd {
	const { items, unreadable = 0, isBroken = false, isUnknown = false } = page;
	if (isUnknown) return broken("the list is not known");
	if (isBroken) return broken("the cursor is unreadable, or leads back");
	if (unreadable > 0) return broken(`${unreadable} rows of the page are unreadable`);
	if (items.length > PAGE) return broken(`${items.length} rows were answered, ${PAGE} asked for`);
	return items.length === 0 ? { kind: "skipped", why: "the list is empty" } : HELD;
}

async function mustGoOn<Row>(
	list: (cursor?: string) => Promise<ProviderPage<Row>>,
	keyOf: (row: Row) => string,
): Promise<CaseEnd> {
	const first = await list();
	const end = mustBeReadable(first);
	if (end.kind !== "held") return end;
	if (first.cursor === null) return { kind: "skipped", why: "there is one page only" };
	const next = await list(first.cursor);
	const keys = new Set(first.items.map(keyOf));
	const again = next.items.map(keyOf).find((key) => keys.has(key));
	return again === undefined ? HELD : broken(`${again} is on both pages`);
}

/**
 * Finds the first of the most traded collections that has listings, else the first of them. Returns
 * null where there is none, or where the calls fail.
 */
async function findSlug({ provider, asked }: Trial): Promise<string | null> {
	try {
		const { items } = await provider.top({ ...asked, limit: TRIED_MAX });
		for (const { slug } of items.slice(0, TRIED_MAX)) {
			if ((await provider.listings(slug, { ...asked, limit: 1 })).items.length > 0) return slug;
		}
		return items[0]?.slug ?? null;
	} catch (error) {
		if (asked.signal.aborted || !(error instanceof Fault)) throw error;
		// The cases say what is wrong with these very calls.
		return null;
	}
}

/** Parses the arguments; null for anything that is not known. The key is never one of them. */
function parseTrial(
	args: readonly string[],
	env: Readonly<Record<string, string | undefined>>,
): { baseUrl: string; slug: string | null } | null {
	const [what, ...flags] = args;
	const given = new Map<string, string>();
	for (let at = 0; at < flags.length; at += 2) given.set(flags[at] ?? "", flags[at + 1] ?? "");
	const known = ["--base-url", "--slug"];
	const isKnown = [...given].every(([flag, value]) => known.includes(flag) && value !== "");
	const baseUrl =
		given.get("--base-url") ?? (env["PROVIDER_BASE_URL"] || PROVIDER_BASE_URL_DEFAULT);
	if (what !== "provider" || !isKnown || !/^https?:\/\/./.test(baseUrl)) return null;
	return { baseUrl, slug: given.get("--slug") ?? null };
}
