import type { FoundCollection } from "#plugins/market-index/contract.ts";
import { displayTime } from "#plugins/market-index/display/displayTime.ts";
import { marketFault } from "#plugins/market-index/faults.ts";
import type { IndexReads } from "#plugins/market-index/read/IndexReads.ts";
import { renderTraits } from "#plugins/market-index/render/renderTraits.ts";
import type { Asset } from "#plugins/market-index/schemas/assetSchema.ts";
import { readToken } from "#plugins/market-index/tokens/sql/readToken.ts";
import { wasSpokenOf } from "#plugins/market-index/tokens/sql/wasSpokenOf.ts";

/**
 * Returns one token as it is known here. A token without an event, an owner or a row is not found.
 */
export async function readAsset(
	core: Pick<IndexReads, "db">,
	found: FoundCollection,
	tokenId: bigint,
): Promise<Asset> {
	const row = await readToken(core.db, found.id, tokenId);
	const isKnown = row?.isKnown || (await wasSpokenOf(core.db, found.id, tokenId));
	if (!row || !isKnown) throw marketFault.notFound({ public: `There is no token ${tokenId}.` });
	return {
		chain: found.chain,
		contractAddress: found.address,
		tokenId: row.tokenId,
		standard: row.standard,
		name: row.name,
		description: row.description,
		imageUrl: row.imageUrl,
		animationUrl: row.animationUrl,
		traits: renderTraits(row.traits),
		rank: row.rank,
		tokenUri: row.tokenUri,
		tokenUriHash: row.tokenUriHash,
		source: row.source,
		fetchedAt: displayTime(row.fetchedAt),
		owner: row.owner,
		collection: {
			slug: row.slug,
			name: row.collectionName,
			imageUrl: row.collectionImageUrl,
			revealState: row.revealState,
		},
	};
}
