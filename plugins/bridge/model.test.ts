import { expect, test } from "bun:test";
import {
	BRIDGE_STATUSES,
	type BridgeEvent,
	bridgeMoves,
	nextBridgeStatus,
} from "#plugins/bridge/model.ts";

test("only its deposit moves a rejected or disabled bridge, and a success or refund can only be doubted", () => {
	for (const status of ["rejected", "disabled"] as const) {
		const moves = { deposit: "pending", doubt: "uncertain" } as const;
		expect([status, bridgeMoves[status]]).toEqual([status, moves]);
	}
	for (const status of ["success", "refund"] as const) {
		expect([status, bridgeMoves[status]]).toEqual([status, { doubt: "uncertain" }]);
	}
});

test("a bridge that has deposited never returns to a status that deposits again", () => {
	const reach = (from: (typeof BRIDGE_STATUSES)[number], seen = new Set([from])) => {
		for (const [event, to] of Object.entries(bridgeMoves[from])) {
			// A dry run holds what was never sent: no intent that was is one.
			if (event !== "hold" && !seen.has(to)) reach(to, seen.add(to));
		}
		return seen;
	};
	for (const from of ["pending", "failure", "timed_out", "success", "refund"] as const) {
		// By `uncertain` it may be found to be on its way still; that sends nothing anew.
		expect([...reach(from)]).not.toContain("quoted");
		expect([...reach(from)]).not.toContain("created");
	}
});

test("a failure, a time-out and a doubt can each become a refund or a success", () => {
	for (const from of ["pending", "failure", "timed_out", "uncertain"] as const) {
		expect(nextBridgeStatus(from, "refund")).toBe("refund");
		expect(nextBridgeStatus(from, "fill")).toBe("success");
	}
});

test("a bridge that has deposited can be neither disabled nor rejected", () => {
	for (const from of ["pending", "uncertain", "failure", "timed_out"] as const) {
		expect(nextBridgeStatus(from, "disable")).toBeNull();
		expect(nextBridgeStatus(from, "reject")).toBeNull();
	}
});

test("an event leads to one status, from wherever it is possible", () => {
	const events = new Set(BRIDGE_STATUSES.flatMap((one) => Object.keys(bridgeMoves[one])));
	for (const event of events as Set<BridgeEvent>) {
		const leads = BRIDGE_STATUSES.flatMap((from) => nextBridgeStatus(from, event) ?? []);
		expect([event, new Set(leads).size]).toEqual([event, 1]);
	}
});
