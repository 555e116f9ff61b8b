import type { Chain } from "#core/chain/Chain.ts";
import type { Tx } from "#core/db/Database.ts";
import type { AppliedChange } from "#plugins/market-index/apply/AppliedChange.ts";
import { addFrames } from "#plugins/market-index/apply/addFrames.ts";
import { bucketOf, TIERS } from "#plugins/market-index/apply/bucketOf.ts";
import { countedIn } from "#plugins/market-index/apply/countedIn.ts";
import type { ApplierOptions } from "#plugins/market-index/apply/createApplier.ts";
import { foreignCurrencies } from "#plugins/market-index/apply/foreignCurrencies.ts";
import { liveFrames, type TopicFrames } from "#plugins/market-index/apply/framesOf.ts";
import { retractionFrames } from "#plugins/market-index/apply/retractionFrames.ts";
import { tellWhatIsLeft } from "#plugins/market-index/apply/tellWhatIsLeft.ts";
import type { TakenBack } from "#plugins/market-index/sql/deleteEventsAbove.ts";
import { readCurrencies } from "#plugins/market-index/sql/readCurrencies.ts";

/**
 * Events one by one, then the figures that they moved. What the provider had told of them before is
 * taken back first: it was another id, without a block.
 */
export async function tellLive(
	options: Pick<ApplierOptions, "clock" | "prices">,
	tx: Tx,
	chain: Chain,
	{ stored, confirmed, minutes, touched }: AppliedChange,
): Promise<TopicFrames> {
	const figures: TopicFrames = new Map();
	const told = tellWhatIsLeft(tx, chain, figures, {
		collections: touched,
		// Also those whose new sales have no price: a candle that was there counts them.
		traded: minutes.filter(({ sales }) => sales > 0),
		takenFrom: minutesOf(confirmed),
		...countedIn([...stored, ...confirmed]),
		nowMs: options.clock.nowMs(),
	});
	told.catch(() => {});
	const paidIn = foreignCurrencies([...stored, ...confirmed]);
	const currencies = await readCurrencies(tx, chain.id, paidIn);
	const shown = { currencies, prices: options.prices };
	const gone = { chain, events: confirmed, collections: touched, shown };
	const topics = retractionFrames(gone);
	addFrames(topics, liveFrames({ chain, events: stored, collections: touched, shown }));
	await told;
	addFrames(topics, figures);
	return topics;
}

function minutesOf(events: readonly TakenBack[]) {
	const sales = events.filter(({ kind, accepted }) => kind === "sale" && accepted);
	return sales.map(({ collectionId, occurredAtMs }) => ({
		collectionId,
		bucketMs: bucketOf(occurredAtMs, TIERS[0].ms),
	}));
}
