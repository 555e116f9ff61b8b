import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { ProviderAnswer } from "#plugins/custody/caller.ts";
import { classifySend } from "#plugins/custody/createSender.ts";

const asked = { caip2: "eip155:4663", referenceId: "ref-1" };
const hash = `0x${"ab".repeat(32)}`;
const data = { hash, caip2: "eip155:4663", transaction_id: "t1", reference_id: "ref-1" };
const sent = { method: "eth_sendTransaction", data };

function classify(status: number, json: unknown) {
	return classifySend({ kind: "answer", status, json }, asked);
}

describe("the answer to a send", () => {
	test("a hash on our chain for our reference means sent", () => {
		const outcome = { kind: "sent", transactionHash: hash, transactionId: "t1" } as const;
		expect(classify(200, sent)).toEqual(outcome as never);
		const upper = { ...sent, data: { ...data, hash: `0x${"AB".repeat(32)}` } };
		expect(classify(200, upper)).toEqual(outcome as never);
		const bare = { ...sent, data: { hash, caip2: asked.caip2 } };
		expect(classify(200, bare)).toEqual({ ...outcome, transactionId: null } as never);
	});

	const doubtful: [string, unknown][] = [
		["another chain", { ...sent, data: { ...data, caip2: "eip155:1" } }],
		["another reference", { ...sent, data: { ...data, reference_id: "ref-2" } }],
		["another method", { ...sent, method: "eth_signTransaction" }],
		["no hash", { ...sent, data: { ...data, hash: undefined } }],
		["half a hash", { ...sent, data: { ...data, hash: hash.slice(0, -2) } }],
		["a hash of zeros", { ...sent, data: { ...data, hash: `0x${"0".repeat(64)}` } }],
		["a number for a hash", { ...sent, data: { ...data, hash: 12_345 } }],
		["an error", { error: "policy", code: "policy_violation" }],
		["nothing", null],
		["a list", [sent]],
	];
	test.each(doubtful)("200 with %s means unknown", (_, json) => {
		expect(classify(200, json).kind).toBe("unknown");
	});

	const refusals: [number, string | undefined, string][] = [
		[400, "policy_violation", "policy_violation"],
		[422, "policy_violation", "policy_violation"],
		[400, "insufficient_funds", "insufficient_funds"],
		[401, "zero_correct_authorization_signatures", "zero_correct_authorization_signatures"],
		[401, undefined, "http_401"],
		[403, "something_new", "http_403"],
		[404, undefined, "http_404"],
	];
	test.each(refusals)("%d %s means refused: nothing was sent", (status, code, told) => {
		const outcome = classify(status, { error: "sentence", code });
		expect(outcome).toMatchObject({ kind: "refused", code: told });
	});

	const unproven: [number, string | undefined][] = [
		[400, undefined],
		[400, "transaction_broadcast_failure"],
		[401, "transaction_broadcast_failure"],
		[400, "invalid_idempotency_key"],
		[402, "policy_violation"],
		[408, "policy_violation"],
		[409, "policy_violation"],
		[425, undefined],
		[429, "policy_violation"],
		[422, undefined],
		[500, "policy_violation"],
		[503, undefined],
		[302, "policy_violation"],
	];
	test.each(unproven)("%d %s means unknown", (status, code) => {
		expect(classify(status, { error: "sentence", code }).kind).toBe("unknown");
	});

	test("a refusal in another form, or one that mentions a transaction, means unknown", () => {
		for (const status of [400, 401, 403, 404]) {
			const code = "policy_violation";
			expect(classify(status, { code }).kind).toBe("unknown");
			expect(classify(status, "no").kind).toBe("unknown");
			expect(classify(status, { error: "x", code, data }).kind).toBe("unknown");
			expect(classify(status, { error: "x", code, cause: { hash } }).kind).toBe("unknown");
			const page: ProviderAnswer = { kind: "unreadable", status, detail: "no JSON" };
			expect(classifySend(page, asked).kind).toBe("unknown");
		}
		expect(classifySend({ kind: "silent", detail: "no answer in time" }, asked)).toEqual({
			kind: "unknown",
			detail: "no answer in time",
		});
	});

	test("reading an answer to a send never throws, and keeps none of the provider's text", () => {
		const canary = "c4n4ry";
		fc.assert(
			fc.property(fc.integer({ min: 100, max: 599 }), fc.jsonValue(), (status, value) => {
				const json = { error: `said ${canary}`, code: canary, value };
				expect(JSON.stringify(classify(status, json))).not.toContain(canary);
				const outcome = classify(status, value);
				// Nothing that can be made up by chance is a hash, or a refusal we know.
				expect(outcome.kind).toBe("unknown");
			}),
		);
	});
});
