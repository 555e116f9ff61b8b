import type { Address } from "#core/chain/Hex.ts";
import type { FoundCollection } from "#plugins/market-index/contract.ts";
import { chainOfRow } from "#plugins/market-index/display/chainOfRow.ts";
import { chainsOf } from "#plugins/market-index/read/chainsOf.ts";
import type { IndexReads } from "#plugins/market-index/read/IndexReads.ts";
import { readNamedCollections } from "#plugins/market-index/sql/readNamedCollections.ts";

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
		address: addressOf(text),
	});
	return found.map((one) => {
		const { id, address, slug } = one;
		return { id, chain: chainOfRow(chains, one).slug, address, slug };
	});
}

function addressOf(text: string): Address | null {
	return /^0x[0-9a-f]{40}$/i.test(text) ? `0x${text.slice(2).toLowerCase()}` : null;
}
