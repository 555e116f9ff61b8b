import { expect, test } from "bun:test";
import { Fault, type FaultOptions } from "#core/fault/Fault.ts";
import { problemResponse } from "#core/http/problemResponse.ts";

const gone: FaultOptions = {
	code: "gone",
	status: 409,
	retry: "never",
	publicDetail: "It is gone.",
};
const respond = (options: Partial<FaultOptions> = {}, publicUrl?: string) =>
	problemResponse(new Fault({ ...gone, ...options }), { requestId: "r-1", publicUrl });

test("a problem has the standard members and ours [SEC-04]", async () => {
	const response = respond();
	expect(response.status).toBe(409);
	expect(response.headers.get("content-type")).toBe("application/problem+json");
	expect(response.headers.get("cache-control")).toBe("no-store");
	expect(await response.json()).toEqual({
		type: "/problems/gone",
		title: "Conflict",
		status: 409,
		detail: "It is gone.",
		code: "gone",
		message: "It is gone.",
		requestId: "r-1",
	});
});

test("the type is absolute where the public address is known", async () => {
	expect(await respond({}, "https://api.example/").json()).toMatchObject({
		type: "https://api.example/problems/gone",
	});
});

// Guarantee: data for operators only is never in the answer.
test("private detail, meta and cause stay private [SEC-07]", async () => {
	const text = await respond({
		privateDetail: "c4n4ry",
		meta: { sql: "c4n4ry" },
		cause: new Error("c4n4ry"),
	}).text();
	expect(text).not.toContain("c4n4ry");
});

test("a fault's members are carried, and cannot replace the standard ones", async () => {
	const members = { provider: "svc", status: 200, code: "forged", requestId: "forged", amount: 5n };
	expect(await respond({ members }).json()).toMatchObject({
		provider: "svc",
		status: 409,
		code: "gone",
		requestId: "r-1",
		amount: "5",
	});
});

const waits: [name: string, options: Partial<FaultOptions>, retryAfter: string | null][] = [
	["a 409 has no Retry-After", {}, null],
	["a told wait is rounded up to seconds", { members: { retryAfterMs: 1_001 } }, "2"],
	["a wait is at least a second", { status: 429, members: { retryAfterMs: 0 } }, "1"],
	["a 503 always has one", { status: 503 }, "5"],
	["a 429 always has one", { status: 429 }, "5"],
	["a wait that is no number is ignored", { members: { retryAfterMs: "soon" } }, null],
];
for (const [name, options, retryAfter] of waits) {
	test(name, () => {
		expect(respond(options).headers.get("retry-after")).toBe(retryAfter);
	});
}
