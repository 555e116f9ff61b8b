import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { SubmissionState } from "#plugins/wallets/model.ts";
import type { HeldNonce } from "#plugins/wallets/submission/nonceQueue.ts";
import { judgeWait, type Waiting, waitWords } from "#plugins/wallets/watch/judgeWait.ts";

const NOW_MS = 10_000_000;
const sent: Waiting = {
	status: "submitted",
	isUnreadable: false,
	state: "sent",
	nonce: 7,
	seenAtMs: NOW_MS - 1_000,
	cancelling: null,
};
const held = (nonce: number, state: SubmissionState = "sent"): HeldNonce => {
	return { nonce, state, purpose: "pay" };
};
const judge = (waiting: Partial<Waiting>, nonces: HeldNonce[] = [], isUnproven = false) =>
	judgeWait({ ...sent, ...waiting }, { held: nonces, isUnproven }, NOW_MS);

describe("a sent payment", () => {
	test("a sent payment is slow if nodes know it, and unseen if none has shown it for long", () => {
		expect(judge({}, [held(7)])).toBe("slow");
		expect(judge({ seenAtMs: null }, [held(7)])).toBe("unseen");
		expect(judge({ seenAtMs: NOW_MS - 400_000 }, [held(7)])).toBe("unseen");
	});

	test("a sent payment waits for a gap below it, but not if it is our first", () => {
		expect(judge({}, [held(5, "mined"), held(7)])).toBe("nonce_gap");
		expect(judge({}, [held(4), held(6), held(7)])).toBe("nonce_gap");
		expect(judge({}, [held(5, "mined"), held(6), held(7)])).toBe("slow");
		expect(judge({}, [held(7), held(8)])).toBe("slow");
	});

	test("a sent payment waits for an uncertain or dropped one below it, and for none above", () => {
		for (const state of ["doubtful", "dropped"] as const) {
			expect(judge({}, [held(6, state), held(7)])).toBe("behind");
			expect(judge({}, [held(7), held(8, state)])).toBe("slow");
		}
	});

	test("a payment of the owner's own wallet is judged without our nonces", () => {
		expect(judge({ nonce: null }, [held(2), held(5, "doubtful")])).toBe("slow");
	});
});

test("a payment whose nonce is used, or was taken after a refusal, waits for that transaction", () => {
	expect(judge({ nonce: 5 }, [held(5, "mined")])).toBe("nonce_used");
	expect(judge({ nonce: 4, state: "doubtful" }, [held(5, "reverted")])).toBe("nonce_used");
	expect(judge({ nonce: 5, state: "refused" }, [held(5)])).toBe("nonce_used");
	expect(judge({ nonce: 5, state: "dropped" }, [held(5, "dropped")])).toBe("dropped");
	expect(judge({ nonce: 5, state: "refused" }, [held(4, "mined"), held(6)])).toBe("refused");
});

test("a queued payment waits for an uncertain one, for proof, or for gas and its chain", () => {
	const queued = { state: "queued", nonce: null, status: "submitting" } as const;
	expect(judge(queued, [held(3, "dropped")], true)).toBe("behind");
	expect(judge(queued, [held(3)], true)).toBe("nonce_unproven");
	expect(judge(queued, [held(3)])).toBe("queued");
});

test("an unreadable submission has that reason first, and a mined cancellation comes next", () => {
	expect(judge({ isUnreadable: true, cancelling: "mined" })).toBe("unreadable");
	expect(judge({ state: "doubtful", cancelling: "mined" })).toBe("cancelling");
	expect(judge({ state: "doubtful", cancelling: "sent" })).toBe("in_doubt");
});

test("each waiting intent has exactly one reason, with a text for it", () => {
	const states = [
		...(["queued", "sending", "sent", "doubtful", "dropped", "refused"] as const),
		...(["mined", "reverted", "never"] as const),
	];
	const state = fc.constantFrom(...states);
	fc.assert(
		fc.property(
			fc.record({
				status: fc.constantFrom("submitting", "submitted", "uncertain"),
				isUnreadable: fc.boolean(),
				state: fc.option(state),
				nonce: fc.option(fc.nat(20)),
				seenAtMs: fc.option(fc.nat(NOW_MS)),
				cancelling: fc.option(state),
			}),
			fc.array(fc.record({ nonce: fc.nat(20), state, purpose: fc.constant("pay" as const) })),
			fc.boolean(),
			(waiting, nonces, isUnproven) => {
				const reason = judgeWait(waiting as Waiting, { held: nonces, isUnproven }, NOW_MS);
				expect(waitWords[reason].waitsFor.length).toBeGreaterThan(10);
				expect(waitWords[reason].remedy.length).toBeGreaterThan(10);
			},
		),
	);
});
