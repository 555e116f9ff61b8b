import {
	type ConformanceLab,
	openConformanceLab,
} from "#test/conformance/provider/lab/openConformanceLab.ts";
import { createRandom } from "#test/conformance/provider/world/createRandom.ts";
import { readChain } from "#test/e2e/oracle/readChain.ts";
import { fillWorld } from "#test/e2e/oracle/world/fillWorld.ts";
import { type Chain, makeChain } from "#test/e2e/oracle/world/makeChain.ts";
import { type Feeds, makeFeeds } from "#test/e2e/oracle/world/makeFeeds.ts";

/** The first block of the node's chain. */
export const FIRST_BLOCK = 20_000_000;

export type OracleLab = {
	seed: number;
	lab: ConformanceLab;
	chain: Chain;
	feeds: Feeds;
	/** The first block that the lanes are to read, and its time. */
	firstRead: { block: number; atMs: number };
	/** Events that were pushed of a slug, in the words of the events' list. */
	pushed(slug: string | null): any[];
};

/** How long ago the lanes begin, in hours; 0 is at the head. */
const READ_HOURS = [40, 9.8, 0] as const;
const HOUR_MS = 3_600_000;

/**
 * Opens a seeded world with a chain and a provider; the seed decides what the service reads of
 * them.
 */
export async function openOracleLab(seed: number): Promise<OracleLab> {
	const random = createRandom(seed);
	let chain: Chain | undefined;
	let feeds: Feeds | undefined;
	const readHours = READ_HOURS[seed % READ_HOURS.length] ?? 0;
	let from = { block: 0, atMs: 0 };
	const lab = await openConformanceLab({
		live: ["base"],
		chains: "base,ethereum,apechain",
		world: { seed, only: [] },
		contracts(_, nowMs) {
			feeds = makeFeeds(seed, nowMs);
			return feeds.contracts;
		},
		past(_, nowMs) {
			chain = makeChain(random, nowMs);
			const { past } = chain;
			const at = past.findIndex(({ atS }) => atS * 1_000 >= nowMs - readHours * HOUR_MS);
			from = { block: FIRST_BLOCK + at, atMs: (past[at]?.atS ?? 0) * 1_000 };
			return past;
		},
		env: () => ({
			USD_FEEDS_JSON: feeds?.config ?? "{}",
			NFT_OWNERSHIP_WALKS_MAX: areWalked(seed) ? "50" : "0",
			...(readHours > 0 && { NFT_SCAN_FROM_BLOCK: String(from.block) }),
		}),
	});
	if (!chain || !feeds) throw new Error("the chain was not made");
	const { url, head } = lab.node("base");
	fillWorld(lab.world, lab.nowMs(), await readChain(url, FIRST_BLOCK));
	misbehave(lab);
	const firstRead = readHours === 0 ? { block: head() + 1, atMs: lab.nowMs() } : from;
	return { seed, lab, chain, feeds, firstRead, pushed: () => [] };
}

/** Says whether the service walks contracts for their owners. */
export const areWalked = (seed: number) => seed % 2 === 0;

const REFUSED = [
	/stats-refused\/stats/,
	/listings\/collection\/book-refused/,
	/never-synced/,
	// Only the first page of events is answered.
	/(pages|shared)-stuck.*next=/,
];

/** Sets what the provider does not tell to any caller. */
function misbehave({ provider }: ConformanceLab): void {
	const body = JSON.stringify({ errors: ["Internal server error"] });
	for (const on of REFUSED) provider.trouble({ kind: "refuses", status: 500, body, on });
	provider.trouble({ kind: "omits_pages", on: /pages-omitted/ });
}
