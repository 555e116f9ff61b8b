import { isBetweenSame } from "#plugins/market-index/confirm/isBetweenSame.ts";
import { MATCH_WINDOW_MS } from "#plugins/market-index/confirm/limits.ts";
import type { Matched } from "#plugins/market-index/confirm/Matched.ts";
import { isStandIn } from "#plugins/market-index/event/isStandIn.ts";

/**
 * Whether what the provider told is what is stored, both of one collection. A transfer is also a
 * mint's duplicate where both went to the same account (MRG-07). Without a transaction's hash on
 * one side the same token between the same two, at about the same time, is the same event.
 */
export function isSameEvent(told: Matched, stored: Matched): boolean {
	const isPromoted = told.kind === "transfer" && stored.kind === "mint" && told.to === stored.to;
	if (told.tokenId !== stored.tokenId || (told.kind !== stored.kind && !isPromoted)) return false;
	if (told.transactionHash === stored.transactionHash) return true;
	if (isStandIn(told.transactionHash) === isStandIn(stored.transactionHash)) return false;
	const apartMs = Math.abs(told.occurredAtMs - stored.occurredAtMs);
	return apartMs <= MATCH_WINDOW_MS && (isPromoted || isBetweenSame(told, stored));
}
