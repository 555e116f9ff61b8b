import type { Chain } from "#core/chain/Chain.ts";
import type { IndexReads } from "#plugins/market-index/read/IndexReads.ts";
import { resolveChain } from "#plugins/market-index/read/resolveChain.ts";

/** Returns the chains of an answer: the named one, or all that are indexed. */
export function chainsOf(
	core: Pick<IndexReads, "chains" | "indexed" | "discovered">,
	text: string | undefined,
): readonly Chain[] {
	if (text !== undefined) return [resolveChain(core, text)];
	return core.indexed.map(({ chain }) => chain);
}
