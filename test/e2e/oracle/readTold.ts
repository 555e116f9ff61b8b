import type { Call } from "#test/conformance/provider/emulator/Call.ts";
import type { Told, ToldSlug } from "#test/e2e/oracle/Known.ts";

const LISTS: Record<string, keyof ToldSlug> = {
	"GET /api/v2/collections/{slug}": "pages",
	"GET /api/v2/collections/{slug}/stats": "stats",
	"GET /api/v2/listings/collection/{slug}/best": "listings",
	"GET /api/v2/listings/collection/{slug}/all": "allListings",
	"GET /api/v2/offers/collection/{slug}/all": "offers",
	"GET /api/v2/drops/{slug}": "drops",
	"GET /api/v2/traits/{slug}": "traits",
	"GET /api/v2/traits/{slug}/floors": "traitFloors",
	"GET /api/v2/events/collection/{slug}": "eventAnswers",
};

/** A token as the provider described it, in a list or alone. */
type ToldToken = { collection: string; contract: string; identifier: string };

/** Sorts the provider's answers by slug; refused or unasked data is not there. */
export function readTold(calls: readonly Call[]): (slug: string) => ToldSlug {
	const bySlug = new Map<string, ToldSlug>();
	const of = (slug: string) => {
		const told = bySlug.get(slug) ?? nothing();
		bySlug.set(slug, told);
		return told;
	};
	for (const { operation, path, status, answer, atMs } of calls) {
		const told = status === 200 ? (answer as { nft?: ToldToken; nfts?: ToldToken[] } | null) : null;
		for (const one of told?.nfts ?? (told?.nft ? [told.nft] : [])) {
			of(one.collection).tokens.set(`${one.contract} ${one.identifier}`, one);
		}
		const name = operation === null ? undefined : LISTS[operation];
		if (status !== 200 || answer === null || !name || path["slug"] === undefined) continue;
		(of(path["slug"])[name] as Told[]).push({ atMs, answer });
	}
	return of;
}

function nothing(): ToldSlug {
	return {
		pages: [],
		stats: [],
		listings: [],
		allListings: [],
		offers: [],
		drops: [],
		traits: [],
		traitFloors: [],
		tokens: new Map(),
		eventAnswers: [],
	};
}
