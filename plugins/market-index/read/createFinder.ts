import type { FoundCollection, MarketIndex } from "#plugins/market-index/contract.ts";
import { marketFault } from "#plugins/market-index/faults.ts";
import { findNamed } from "#plugins/market-index/read/findNamed.ts";
import type { IndexReads } from "#plugins/market-index/read/IndexReads.ts";

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
