import type { Address } from "#core/chain/Hex.ts";
import type { FoundCollection, MarketIndex } from "#plugins/market-index/contract.ts";
import { chainOfRow } from "#plugins/market-index/display/chainOfRow.ts";
import { marketFault } from "#plugins/market-index/faults.ts";
import { chainsOf } from "#plugins/market-index/read/chainsOf.ts";
import type { IndexReads } from "#plugins/market-index/read/IndexReads.ts";
import { readNamedCollections } from "#plugins/market-index/sql/readNamedCollections.ts";

/**
 * Finds collections by slug, former slug or address, on indexed chains. An excluded collection is
 * not found: it is in no list either.
 */
export function createFinder(
	core: Pick<IndexReads, "db" | "chains" | "indexed" | "discovered">,
): MarketIndex["find"] {
	return async (slug, chain): Promise<FoundCollection> => {
		const chains = chainsOf(core, chain);
		const found = await readNamedCollections(core.db, {
			chainIds: chains.map(({ id }) => id),
			slugs: [slug, slug.toLowerCase()],
			address: addressOf(slug),
		});
		const [first] = found;
		if (!first) {
			const where = chain === undefined ? "" : ` on ${chain}`;
			throw marketFault.notFound({ public: `There is no collection "${slug}"${where}.` });
		}
		if (found.length > 1) {
			const slugs = found.map((one) => chainOfRow(chains, one).slug).sort();
			const message = `"${slug}" is a collection on several chains: ${slugs.join(", ")}.`;
			throw marketFault.chainRequired({
				public: `${message} Name one with \`chain\`.`,
				members: { issues: [{ path: "chain", message }] },
			});
		}
		const { id, address } = first;
		return { id, chain: chainOfRow(chains, first).slug, address, slug: first.slug };
	};
}

function addressOf(text: string): Address | null {
	return /^0x[0-9a-f]{40}$/i.test(text) ? `0x${text.slice(2).toLowerCase()}` : null;
}
