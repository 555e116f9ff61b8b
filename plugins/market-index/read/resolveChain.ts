import type { Chain } from "#core/chain/Chain.ts";
import { invalidChain } from "#plugins/market-index/faults.ts";
import type { IndexReads } from "#plugins/market-index/read/IndexReads.ts";

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
