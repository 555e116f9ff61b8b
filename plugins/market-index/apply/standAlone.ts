import type { Tx } from "#core/db/Database.ts";
import { insertUnconfirmed } from "#plugins/market-index/confirm/sql/insertUnconfirmed.ts";
import { providerPlace } from "#plugins/market-index/event/providerPlace.ts";
import { collectionChanges } from "#plugins/market-index/rollup/collectionChanges.ts";
import { sumRollups } from "#plugins/market-index/rollup/sumRollups.ts";
import { addFigures } from "#plugins/market-index/sql/addFigures.ts";
import type { TakenBack } from "#plugins/market-index/sql/deleteEventsAbove.ts";
import { insertEvents } from "#plugins/market-index/sql/insertEvents.ts";

/**
 * Stores events that left the chain again as the provider told them: without a block of their own,
 * until the chain tells them again. Returns them as they are stored now.
 */
export async function standAlone(
	tx: Tx,
	chainId: number,
	{ gone, at }: { gone: readonly TakenBack[]; at: Date },
): Promise<readonly TakenBack[]> {
	const told = gone.filter(({ payload }) => payload !== null);
	if (told.length === 0) return [];
	const rows = told.map((event) => ({
		...event,
		...providerPlace(event),
		// The lost block's number is as good an estimate as any; its hash names a block that does not
		// exist any more.
		blockHash: event.transactionHash,
		onchainVerified: false,
	}));
	const stored = await insertEvents(tx, chainId, rows);
	await insertUnconfirmed(tx, chainId, stored, at);
	const collections = collectionChanges(stored);
	await addFigures(tx, chainId, { minutes: sumRollups(stored), collections });
	return stored;
}
