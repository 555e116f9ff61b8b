import { describe, expect, test } from "bun:test";
import { AssertionFailed, assert, defineFaults, Fault, unreachable } from "#core/fault.ts";

const fault = defineFaults({
	listingGone: { status: 409, retry: "never", public: "That listing is gone." },
	away: { code: "rpc_away", status: 503, retry: "later", public: "Away." },
});

describe("a fault", () => {
	test("[SEC-04] a fault has a stable code, a status and retry advice", () => {
		expect(fault.listingGone()).toMatchObject({
			code: "listing_gone",
			status: 409,
			retry: "never",
		});
		expect(fault.away()).toMatchObject({ code: "rpc_away", status: 503, retry: "later" });
		expect(fault.listingGone()).toBeInstanceOf(Fault);
		expect(fault.listingGone()).toBeInstanceOf(Error);
	});

	test("a fault keeps its public sentence apart from the operator's detail", () => {
		const cause = new Error("socket");
		const made = fault.away({
			detail: "node 7 is down",
			meta: { node: 7 },
			members: { a: 1 },
			cause,
		});
		expect(made).toMatchObject({
			publicDetail: "Away.",
			privateDetail: "node 7 is down",
			meta: { node: 7 },
			members: { a: 1 },
			cause,
			message: "rpc_away: node 7 is down",
		});
		expect(fault.away({ public: "Node away." }).publicDetail).toBe("Node away.");
	});
});

test("a fault's texts can be stored, whatever they contain", () => {
	const words = "a\u0000b\ud83dc";
	const fault = new Fault({
		...{ code: "x", status: 502, retry: "later" },
		...{ publicDetail: words, privateDetail: words },
	});
	for (const text of [fault.message, fault.publicDetail, fault.privateDetail]) {
		expect(text).not.toContain("\u0000");
		expect(text?.isWellFormed()).toBe(true);
		expect(text).toContain("ab\ufffdc");
	}
});

test("a failed assertion throws its reason, and is not a fault", () => {
	expect(() => assert(1 + 1 === 2, "never")).not.toThrow();
	for (const falsy of [false, 0, "", null, undefined]) {
		expect(() => assert(falsy, "the reason")).toThrow(AssertionFailed);
	}
	expect(() => assert(false, "the reason")).toThrow("the reason");
});

test("the error for an unhandled variant names it, also if it holds a bigint", () => {
	const variant = { kind: "filled", units: 10n } as never;
	expect(() => unreachable(variant)).toThrow(AssertionFailed);
	expect(() => unreachable(variant)).toThrow(/kind: .filled.*10n/s);
});
