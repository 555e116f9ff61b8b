import type { Hex } from "#core/chain/Hex.ts";
import {
	FAILURE_GRACE_MS,
	FAILURE_OPEN_MS,
	LOOK_DELAYS,
	TIMED_OUT_EVERY_MS,
	TIMED_OUT_OPEN_MS,
} from "#plugins/bridge/limits.ts";
import type { RelayStatus } from "#plugins/bridge/relay/Relay.ts";
import type { Bridge } from "#plugins/bridge/sql/bridges.ts";

/** What the provider's word means for a bridge whose deposit is on chain. */
export type Judgement =
	/** It claims an end: the chains are asked whether that is so. */
	| { kind: "claims"; end: "success" | "refund"; hashes: readonly OutHash[] }
	/** It says `failure`: shown after a grace, believed after a day. */
	| { kind: "failure" }
	/** On its way, as far as anybody knows: also what was never heard of. */
	| { kind: "in_flight" };

type OutHash = { hash: Hex; chainId: number | null };

/**
 * Reads the provider's word. Only three of its words are an end, or could be one; every other one,
 * also one that was never seen before, and none at all, is in flight.
 */
export function judgeWord(word: RelayStatus): Judgement {
	if (word.kind === "unseen") return { kind: "in_flight" };
	switch (word.status) {
		case "success":
		case "refund":
			return { kind: "claims", end: word.status, hashes: word.outHashes };
		case "failure":
			return { kind: "failure" };
		default:
			return { kind: "in_flight" };
	}
}

/** What time alone does to a bridge: the event that is due, and when it is looked at next. */
export function judgeTime(
	bridge: Pick<Bridge, "status" | "depositedAt" | "failedAt" | "changedAt">,
	{ nowMs, timeoutMs }: { nowMs: number; timeoutMs: number },
): { event: "fail" | "time_out" | null; nextMs: number | null } {
	const { status, failedAt, changedAt } = bridge;
	const ageMs = nowMs - (bridge.depositedAt?.getTime() ?? nowMs);
	const failedForMs = failedAt === null ? null : nowMs - failedAt.getTime();
	const delay = LOOK_DELAYS.find(([untilMs]) => ageMs < untilMs)?.[1] ?? TIMED_OUT_EVERY_MS;
	if (status === "failure") {
		const isOver = (failedForMs ?? Number.POSITIVE_INFINITY) > FAILURE_OPEN_MS;
		return { event: null, nextMs: isOver ? null : Math.max(delay, 60_000) };
	}
	if (status === "timed_out") {
		const isOver = nowMs - changedAt.getTime() > TIMED_OUT_OPEN_MS;
		return { event: null, nextMs: isOver ? null : TIMED_OUT_EVERY_MS };
	}
	if (failedForMs !== null && failedForMs >= FAILURE_GRACE_MS) {
		return { event: "fail", nextMs: delay };
	}
	if (ageMs >= timeoutMs) return { event: "time_out", nextMs: TIMED_OUT_EVERY_MS };
	return { event: null, nextMs: delay };
}
