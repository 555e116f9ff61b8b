import { expect, test } from "bun:test";
import fc from "fast-check";
import {
	type IntentEvent,
	type IntentStatus,
	intentMachine,
	nextStatus,
} from "#plugins/wallets/intent/Intent.ts";

// Guarantee: from where money can have left, no way leads back to where it is sent.

const EVENTS = [
	"deny",
	"ask_confirmation",
	"ask_review",
	"ask_signature",
	"skip_dry_run",
	"skip_done",
	"approve",
	"pass_review",
	"wait",
	"resume",
	"expire",
	"sign",
	"reserve",
	"sent",
	"refused",
	"doubt",
	"found",
	"mined",
	"reverted",
	"missed",
	"disproved",
	"reorged",
] as const satisfies readonly IntentEvent[];
const STATUSES = Object.keys(intentMachine) as IntentStatus[];
/** Before anything can have left by our hand. */
const BEFORE: readonly IntentStatus[] = [
	"created",
	"confirmation_required",
	"review_required",
	"signature_required",
	"waiting",
];

test("the state machine has the twelve statuses of the specification, and that of a waiting step", () => {
	expect([...STATUSES].sort()).toEqual([
		"confirmation_required",
		"confirmed",
		"created",
		"dry_run",
		"expired",
		"failed",
		"rejected",
		"review_required",
		"signature_required",
		"submitted",
		"submitting",
		"uncertain",
		"waiting",
	]);
});

test("each status and event leads to the status in the table, and all other pairs are refused", () => {
	for (const status of STATUSES) {
		for (const event of EVENTS) {
			const next = nextStatus(status, event);
			expect(next).toBe(intentMachine[status][event] ?? null);
			if (next !== null) expect(STATUSES).toContain(next);
		}
		for (const event of Object.keys(intentMachine[status])) {
			expect(EVENTS as readonly string[]).toContain(event);
		}
	}
});

test("money is sent after one move only: the reservation of a created intent", () => {
	const reserving = STATUSES.filter((status) => nextStatus(status, "reserve") !== null);
	expect(reserving).toEqual(["created"]);
	const submitting = STATUSES.filter((status) => {
		return Object.values(intentMachine[status]).includes("submitting");
	});
	expect(submitting).toEqual(["created"]);
});

test("an intent that was sent never returns to a status from which it could be sent", () => {
	fc.assert(
		fc.property(fc.array(fc.constantFrom(...EVENTS), { maxLength: 40 }), (events) => {
			let status: IntentStatus = "created";
			let hasLeft = false;
			let reserves = 0;
			for (const event of events) {
				const next = nextStatus(status, event);
				if (next === null) continue;
				if (event === "reserve") reserves++;
				if (event === "sent" || event === "reserve" || event === "found") hasLeft = true;
				status = next;
				if (hasLeft) expect(BEFORE).not.toContain(status);
			}
			expect(reserves).toBeLessThanOrEqual(1);
		}),
		{ numRuns: 500 },
	);
});

test("a denied or dry-run intent is final, unless its owner's wallet sent it", () => {
	expect(EVENTS.flatMap((event) => nextStatus("dry_run", event) ?? [])).toEqual([]);
	const left = EVENTS.filter((event) => nextStatus("rejected", event) !== null);
	expect(left).toEqual(["found"]);
});

test("an uncertain intent fails only by proof: a receipt, or that it cannot be mined", () => {
	const proofs = EVENTS.filter((event) => nextStatus("uncertain", event) === "failed");
	expect(proofs).toEqual(["reverted", "missed", "disproved"]);
});

test("[TRD-08] an intent that may have been sent is never denied, expired or cancelled without proof", () => {
	const ends = (status: IntentStatus) => {
		return EVENTS.filter((event) => {
			const next = nextStatus(status, event);
			return next !== null && intentMachine[status] !== intentMachine[next];
		});
	};
	const receipts = ["mined", "reverted", "missed", "disproved"] as const;
	expect(new Set(ends("submitting"))).toEqual(
		new Set(["sent", "refused", "doubt", "found", ...receipts]),
	);
	expect(new Set(ends("submitted"))).toEqual(new Set(["doubt", ...receipts]));
	expect(new Set(ends("uncertain"))).toEqual(new Set(["found", ...receipts]));
	// The chain alone takes back what it said.
	expect(ends("confirmed")).toEqual(["reorged"]);
	expect(new Set(ends("failed"))).toEqual(new Set(["reorged", "found"]));
	expect(ends("expired")).toEqual(["found"]);
});

test("[TRD-08] only a successful receipt, with all goods received, confirms a payment", () => {
	const confirming = STATUSES.flatMap((status) =>
		EVENTS.filter((event) => nextStatus(status, event) === "confirmed"),
	);
	expect(new Set(confirming)).toEqual(new Set(["mined", "skip_done", "sign"]));
	// What is done already is found so before anything could be sent; a signature sends nothing.
	for (const event of ["skip_done", "sign"] as const) {
		expect(STATUSES.filter((status) => nextStatus(status, event))).toEqual(["created"]);
	}
});
