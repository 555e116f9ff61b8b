import { isBetweenSame } from "#plugins/market-index/confirm/isBetweenSame.ts";
import { MATCH_WINDOW_MS } from "#plugins/market-index/confirm/limits.ts";
import type { Matched } from "#plugins/market-index/confirm/Matched.ts";
import { isStandIn } from "#plugins/market-index/event/isStandIn.ts";

/**
 * Says whether a provider's event is the stored one, both of one collection. A transfer also
 * matches a mint if both went to the same account (MRG-07). If one side has no transaction hash,
 * the same token between the same two parties at about the same time is the same event.
 */
export function isSameEvent(told: Matched, stored: Matched): boolean {
	const isPromoted = told.kind === "transfer" && stored.kind === "mint" && told.to === stored.to;
	if (told.tokenId !== stored.tokenId || (told.kind !== stored.kind && !isPromoted)) return false;
	if (told.transactionHash === stored.transactionHash) return true;
	if (isStandIn(told.transactionHash) === isStandIn(stored.transactionHash)) return false;
	const apartMs = Math.abs(told.occurredAtMs - stored.occurredAtMs);
	return apartMs <= MATCH_WINDOW_MS && (isPromoted || isBetweenSame(told, stored));
}
