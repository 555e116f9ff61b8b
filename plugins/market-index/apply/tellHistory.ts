import type { Chain } from "#core/chain/Chain.ts";
import type { Tx } from "#core/db/Database.ts";
import type { AppliedChange } from "#plugins/market-index/apply/AppliedChange.ts";
import { countedIn } from "#plugins/market-index/apply/countedIn.ts";
import type { ApplierOptions } from "#plugins/market-index/apply/createApplier.ts";
import type { TopicFrames } from "#plugins/market-index/apply/framesOf.ts";
import { tellFigures } from "#plugins/market-index/apply/tellFigures.ts";
import { collectionTopic } from "#plugins/market-index/contract.ts";

/**
 * What a provider told of collections' past: who follows one reads it anew. Discover hears the rows
 * that moved, and is not told to read anew for the sake of one collection's history.
 */
export async function tellHistory(
	options: Pick<ApplierOptions, "clock" | "prices">,
	tx: Tx,
	chain: Chain,
	{ stored, confirmed, touched }: AppliedChange,
): Promise<TopicFrames> {
	const topics: TopicFrames = new Map();
	for (const { address } of touched.values()) {
		const data = { reason: "catching_up" };
		topics.set(collectionTopic(chain.slug, address), [{ type: "snapshot_required", data }]);
	}
	await tellFigures(tx, chain, topics, {
		collections: touched,
		traded: [],
		...countedIn([...stored, ...confirmed]),
		nowMs: options.clock.nowMs(),
	});
	return topics;
}
