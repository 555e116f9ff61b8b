// Finds chains and collections by the names in a request, and says how fresh an answer is.

import type { Chain } from "#core/chain/Chain.ts";
import { type Address, isAddress } from "#core/chain/Hex.ts";
import { assert } from "#core/fault.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { LaneKind, LaneProgress, Scanner } from "#plugins/chain-scanner/contract.ts";
import type { MarketIndex } from "#plugins/market-index/contract.ts";
import type { ListSource } from "#plugins/market-index/discovery/createListSource.ts";
import { chainOfRow, type ProviderHealth } from "#plugins/market-index/display.ts";
import { invalidChain, marketFault } from "#plugins/market-index/faults.ts";
import type { LookUps } from "#plugins/market-index/metadata/lookUps.ts";
import type { FoundCollection } from "#plugins/market-index/model.ts";
import { renderFreshness } from "#plugins/market-index/render/collection.ts";
import type { Freshness } from "#plugins/market-index/schemas/lists.ts";
import { readNamedCollections } from "#plugins/market-index/sql/collectionNames.ts";
import type { Prices } from "#plugins/prices/contract.ts";

/** The part of the runtime that the reading side of the index needs. */
export type IndexReads = Pick<Core, "db" | "clock" | "chains" | "pageCache"> & {
	/** The chains of `CHAINS`, in its order. */
	readonly indexed: readonly { readonly chain: Chain }[];
	/** Chains of which only the provider reports; they are served when a request names them. */
	readonly discovered?: readonly Chain[];
};

/** Holds what the market's routes need. */
export type RouteContext = {
	core: IndexReads;
	scanner: Pick<Scanner, "progress">;
	index: Pick<MarketIndex, "find" | "touch">;
	/** Returns the provider's present state. */
	providerHealth: () => ProviderHealth;
	/** Queues a repair of a collection; returns the status of its sync. */
	resync: (collectionId: number) => Promise<string | null>;
	prices: Prices;
	/** The provider's part of the collections list. */
	lists: ListSource;
	/**
	 * Returns the present gas price, in wei of the chain's coin; null where the chain does not
	 * answer.
	 */
	gasPrice: (chain: Chain) => Promise<bigint | null>;
	/** Asks chains what a search cannot find in the index. */
	lookUps: LookUps;
};

/** Ages at which clients turn from green to amber and from amber to red. */
const AGES_MS = [60_000, 300_000];

const LANES: readonly LaneKind[] = ["mint", "sale"];

/**
 * Makes a function that finds collections by slug, former slug or address, on indexed chains. An
 * excluded collection is not found, as it is in no list either.
 */
export function createFinder(
	core: Pick<IndexReads, "db" | "chains" | "indexed" | "discovered">,
): MarketIndex["find"] {
	return async (slug, chain): Promise<FoundCollection> => {
		const found = await findNamed(core, slug, chain);
		const [first] = found;
		if (!first) {
			const where = chain === undefined ? "" : ` on ${chain}`;
			throw marketFault.notFound({ public: `There is no collection "${slug}"${where}.` });
		}
		if (found.length > 1) {
			const slugs = found.map((one) => one.chain).sort();
			const message = `"${slug}" is a collection on several chains: ${slugs.join(", ")}.`;
			throw marketFault.chainRequired({
				public: `${message} Name one with \`chain\`.`,
				members: { issues: [{ path: "chain", message }] },
			});
		}
		return first;
	};
}

/**
 * Returns what a slug, former slug or address means, at most one collection a chain: on the chain
 * that is named, else on all that are indexed. An excluded collection is not found.
 */
export async function findNamed(
	core: Pick<IndexReads, "db" | "chains" | "indexed" | "discovered">,
	text: string,
	chain: string | undefined,
): Promise<FoundCollection[]> {
	const chains = chainsOf(core, chain);
	const found = await readNamedCollections(core.db, {
		chainIds: chains.map(({ id }) => id),
		slugs: [text, text.toLowerCase()],
		address: addressIn(text),
	});
	return found.map((one) => {
		const { id, address, slug } = one;
		return { id, chain: chainOfRow(chains, one).slug, address, slug };
	});
}

/** Returns the address that a request's text is, in any case; null where it is none. */
export function addressIn(text: string): Address | null {
	const lower = text.toLowerCase();
	return isAddress(lower) ? lower : null;
}

/** Returns the chains of an answer: the named one, or all that are indexed. */
export function chainsOf(
	core: Pick<IndexReads, "chains" | "indexed" | "discovered">,
	text: string | undefined,
): readonly Chain[] {
	if (text !== undefined) return [resolveChain(core, text)];
	return core.indexed.map(({ chain }) => chain);
}

/**
 * Returns the chain that a `chain` parameter names, by slug, other spelling or id.
 *
 * A chain that exists and is not indexed here is refused like a misspelled one: an empty list would
 * read as "nothing happened there".
 */
export function resolveChain(
	core: Pick<IndexReads, "chains" | "indexed" | "discovered">,
	text: string,
): Chain {
	const named = core.chains.bySlug(text);
	const known = [...core.indexed.map(({ chain }) => chain), ...(core.discovered ?? [])];
	const found = known.find(({ id }) => id === named?.id);
	if (found) return found;
	const slugs = known.map(({ slug }) => slug).join(", ");
	const problem = named
		? `The chain "${named.slug}" is not indexed here.`
		: `There is no chain "${text}".`;
	throw invalidChain(`${problem} Indexed chains: ${slugs}.`);
}

/**
 * Returns until when the index has every event of a chain: when the slower of its lanes last was
 * level with the head. Null while one is behind, or backfill still owes blocks: how much is missing
 * then is not known.
 */
export async function readCoverageEnd(
	scanner: Pick<Scanner, "progress">,
	chainId: number,
): Promise<Date | null> {
	const lanes = await Promise.all(LANES.map((lane) => scanner.progress(chainId, lane)));
	let endMs = Number.POSITIVE_INFINITY;
	for (const { headBlock, indexedBlock, indexedAtMs, owes, coveredUntilMs } of lanes) {
		if (indexedAtMs === null || indexedBlock === null || owes) return null;
		if (headBlock !== indexedBlock) return null;
		// A chain that makes no block is read all the same.
		endMs = Math.min(endMs, Math.max(indexedAtMs, coveredUntilMs ?? indexedAtMs));
	}
	return new Date(endMs);
}

/** Returns how fresh an answer about these chains is: as fresh as the one that lags most. */
export async function readFreshness(
	scanner: Pick<Scanner, "progress">,
	chains: readonly Chain[],
	options: { nowMs: number; listRefreshedAt: string | null },
): Promise<Freshness> {
	const lanes = await Promise.all(chains.map(({ id }) => scanner.progress(id, "sale")));
	const worst = mostLagging(lanes, options.nowMs);
	return renderFreshness(chainOfRow(chains, worst), worst, options);
}

/**
 * Returns the lane that represents several chains: among those with the worst colour that a client
 * would show, the one most blocks behind. Blocks alone would not do, because a lane that stopped at
 * the head stays at lag 0.
 */
export function mostLagging(lanes: readonly LaneProgress[], nowMs: number): LaneProgress {
	const [worst] = lanes
		.map((lane) => ({ lane, ...lagOf(lane, nowMs) }))
		.sort((a, b) => b.colour - a.colour || b.blocks - a.blocks || b.ageMs - a.ageMs);
	assert(worst, "the service indexes at least one chain");
	return worst.lane;
}

function lagOf({ headBlock, indexedBlock, indexedAtMs }: LaneProgress, nowMs: number) {
	const ageMs = indexedAtMs === null ? Number.MAX_SAFE_INTEGER : nowMs - indexedAtMs;
	const known = headBlock !== null && indexedBlock !== null;
	return {
		ageMs,
		colour: AGES_MS.filter((limitMs) => ageMs >= limitMs).length,
		blocks: known ? headBlock - indexedBlock : Number.MAX_SAFE_INTEGER,
	};
}
