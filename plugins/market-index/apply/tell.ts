import type { AppliedChange } from "#plugins/market-index/apply/AppliedChange.ts";
import type { Applying } from "#plugins/market-index/apply/Applying.ts";
import { catchUpFrames, type TopicFrames } from "#plugins/market-index/apply/framesOf.ts";
import { tellHistory } from "#plugins/market-index/apply/tellHistory.ts";
import { tellLive } from "#plugins/market-index/apply/tellLive.ts";

/** What subscribers hear of a batch. Figures are read as the statements before left them. */
export async function tell(
	{ options, tx, chain, batch }: Applying,
	change: AppliedChange,
): Promise<TopicFrames> {
	if (batch.live) return tellLive(options, tx, chain, change);
	if (batch.isHistory) return tellHistory(options, tx, chain, change);
	return catchUpFrames(chain, change.touched.values());
}
