import type { Chain } from "#core/chain/Chain.ts";
import type { Tx } from "#core/db/Database.ts";
import type { Outbox } from "#core/outbox/createOutbox.ts";
import {
	collectionTopic,
	type RevealFrame,
	type RevealSubject,
} from "#plugins/market-index/contract.ts";
import type { NewDetection } from "#plugins/reveal-snipe/sql/detections.ts";

export type RevealNews = {
	chain: Chain;
	subject: Pick<RevealSubject, "address" | "slug" | "revealState">;
	phase: RevealFrame["phase"];
	/** Null without a detection: only the state changed. */
	detection: Pick<
		NewDetection,
		"signal" | "evidence" | "blockNumber" | "blockAt" | "detectedAt" | "delayMs"
	> | null;
	at: Date;
};

/**
 * Adds a `reveal` frame to the collection's stream, in the transaction of the change that it
 * announces.
 */
export function appendRevealFrame(outbox: Outbox, tx: Tx, news: RevealNews): void {
	const { chain, subject, phase, detection, at } = news;
	const data: RevealFrame = {
		chain: chain.slug,
		contractAddress: subject.address,
		slug: subject.slug,
		phase,
		revealState: subject.revealState,
		detection: detection && renderDetection(detection),
		occurredAt: at.toISOString(),
	};
	outbox.append(tx, collectionTopic(chain.slug, subject.address), [{ type: "reveal", data }]);
}

/** Renders a detection for routes and streams. */
export function renderDetection(
	detection: NonNullable<RevealNews["detection"]>,
): NonNullable<RevealFrame["detection"]> {
	return {
		signal: detection.signal,
		evidence: detection.evidence,
		blockNumber: detection.blockNumber,
		blockAt: detection.blockAt?.toISOString() ?? null,
		detectedAt: detection.detectedAt.toISOString(),
		delayMs: detection.delayMs,
	};
}
