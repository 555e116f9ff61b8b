import { describe, expect, test } from "bun:test";
import { judgeTime, judgeWord } from "#plugins/bridge/reconcile/followBridge.ts";
import type { RelayStatus } from "#plugins/bridge/relay/Relay.ts";

const seen = (status: string): RelayStatus => ({
	kind: "seen",
	status,
	depositHashes: [],
	outHashes: [],
	updatedAtMs: null,
	failReason: null,
});
const MINUTE = 60_000;
const DAY = 86_400_000;
const START = Date.UTC(2026, 10, 25);

test("only success and refund claim an outcome, and no status is believed without the chain", () => {
	expect(judgeWord(seen("success")).kind).toBe("claims");
	expect(judgeWord(seen("refund")).kind).toBe("claims");
	expect(judgeWord(seen("failure")).kind).toBe("failure");
});

test("an unknown status, and one never seen before, count as in flight", () => {
	const words = [
		"waiting",
		"depositing",
		"pending",
		"submitted",
		"delayed",
		"unknown",
		"",
		"SUCCESS",
	];
	for (const word of [...words, "teleporting", "refunded"]) {
		expect([word, judgeWord(seen(word)).kind]).toEqual([word, "in_flight"]);
	}
	expect(judgeWord({ kind: "unseen" }).kind).toBe("in_flight");
});

describe("the time of a bridge", () => {
	const of = (more: object, afterMs: number) =>
		judgeTime(
			{
				...{ status: "pending", depositedAt: new Date(START), failedAt: null },
				...{ changedAt: new Date(START) },
				...more,
			},
			{ nowMs: START + afterMs, timeoutMs: 60 * MINUTE },
		);

	test("a young bridge is checked often, and an old one seldom", () => {
		const delays = [0, 2 * MINUTE, 30 * MINUTE].map((age) => of({}, age).nextMs);
		expect(delays).toEqual([2_000, 10_000, 60_000]);
	});

	test("a bridge is timed out after the configured time, then checked hourly for a day and daily for 60", () => {
		expect(of({}, 60 * MINUTE - 1).event).toBeNull();
		expect(of({}, 60 * MINUTE).event).toBe("time_out");
		const timedOut = { status: "timed_out", changedAt: new Date(START) } as const;
		expect(of(timedOut, 3 * MINUTE).nextMs).toBe(60 * MINUTE);
		expect(of(timedOut, DAY + 1)).toEqual({ event: null, nextMs: DAY });
		expect(of(timedOut, 61 * DAY)).toEqual({ event: null, nextMs: DAY });
		expect(of(timedOut, 61 * DAY + 1)).toEqual({ event: null, nextMs: null });
	});

	test("a failure is shown after five minutes, and may turn into another outcome for 61 days", () => {
		const failed = { failedAt: new Date(START) };
		expect(of(failed, 5 * MINUTE - 1).event).toBeNull();
		expect(of(failed, 5 * MINUTE).event).toBe("fail");
		const shown = { ...failed, status: "failure" } as const;
		expect(of(shown, DAY).nextMs).toBe(300_000);
		expect(of(shown, DAY + 1).nextMs).toBe(DAY);
		expect(of(shown, 61 * DAY + 1).nextMs).toBeNull();
	});

	test("every uncertain bridge has a next check for 61 days", () => {
		const doubted = { status: "uncertain" } as const;
		expect(of(doubted, 10 * MINUTE).nextMs).toBe(60_000);
		expect(of(doubted, 2 * DAY).nextMs).toBe(DAY);
		expect(of(doubted, 62 * DAY).nextMs).toBeNull();
	});
});
