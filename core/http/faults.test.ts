import { describe, expect, test } from "bun:test";
import { NotFoundError, ParseError, status } from "elysia";
import { DatabaseError } from "pg";
import type { Fault } from "#core/fault.ts";
import { faultOf, faultOfStatus, httpFault } from "#core/http/faults.ts";

describe("faultOf", () => {
	const cases: [name: string, thrown: unknown, status: number, code: string][] = [
		["an unknown address", new NotFoundError(), 404, "not_found"],
		["a body that does not parse", new ParseError(new SyntaxError("x")), 400, "malformed_body"],
		["a thrown 403", status(403), 403, "forbidden"],
		["a thrown 401 with a sentence", status(401, "Sign in first, please."), 401, "unauthorized"],
		["a thrown 500", status(500, "c4n4ry text"), 500, "internal_error"],
		["a thrown 502", status(502), 503, "unavailable"],
		["a thrown 418", status(418), 418, "http_418"],
		["an error", new Error("c4n4ry"), 500, "internal_error"],
		["a type error", new TypeError("c4n4ry"), 500, "internal_error"],
		[
			"a database error with a code",
			Object.assign(new Error("c4n4ry"), { code: "23505", status: 400 }),
			500,
			"internal_error",
		],
		["a text", "c4n4ry", 500, "internal_error"],
		["nothing", undefined, 500, "internal_error"],
		["null", null, 500, "internal_error"],
		["a forged fault", { code: "x", status: 200, publicDetail: "c4n4ry" }, 500, "internal_error"],
	];
	for (const [name, thrown, expectedStatus, code] of cases) {
		test(`${name} is ${expectedStatus} ${code} [SEC-04]`, () => {
			const fault = faultOf(thrown);
			expect({ status: fault.status, code: fault.code }).toEqual({ status: expectedStatus, code });
			expect(fault.publicDetail).not.toContain("c4n4ry");
		});
	}

	test("a Fault is kept, also when Elysia wrapped it while parsing", () => {
		const fault = httpFault.conflict();
		expect(faultOf(fault)).toBe(fault);
		expect(faultOf(new ParseError(fault))).toBe(fault);
	});

	test("an error of a parse hook is kept, and only text that is no JSON is a bad body", () => {
		expect(faultOf(new ParseError(new Error("c4n4ry"))).code).toBe("internal_error");
		expect(faultOf(new ParseError(new TypeError("c4n4ry"))).code).toBe("internal_error");
		expect(faultOf(new ParseError()).code).toBe("malformed_body");
		const away = new DatabaseError("c4n4ry", 1, "error");
		away.code = "57P01";
		expect(faultOf(new ParseError(away))).toMatchObject({
			status: 503,
			code: "database_unavailable",
		});
		expect(faultOf(away)).toMatchObject({ status: 503, code: "database_unavailable" });
	});

	test("an internal error keeps its cause for the log", () => {
		const cause = new Error("why");
		expect(faultOf(cause).cause).toBe(cause);
	});

	test("a thrown status keeps the route's sentence, but not a single word", () => {
		expect(faultOf(status(403, "Only the owner may.")).publicDetail).toBe("Only the owner may.");
		expect(faultOf(status(403, "Forbidden")).publicDetail).toBe("That is not allowed.");
	});

	test("every http fault has a public sentence and a known status", () => {
		for (const make of Object.values(httpFault)) {
			const fault: Fault = make();
			expect(fault.publicDetail).toEndWith(".");
			expect(fault.status).toBeWithin(400, 600);
		}
	});
});

describe("faultOfStatus", () => {
	test("every status from 400 to 599 has a fault that answers with an error", () => {
		for (let status = 400; status < 600; status += 1) {
			const fault = faultOfStatus(status);
			expect(fault.code).toMatch(/^[a-z][a-z0-9_]*$/);
			expect(fault.status).toBe(status < 500 || status === 500 ? status : 503);
		}
	});

	test("a status that is no error fails an assertion", () => {
		expect(faultOfStatus(200)).toMatchObject({ status: 500, code: "internal_error" });
	});

	test("a bare 500 never repeats the thrown message", () => {
		expect(faultOfStatus(500, "c4n4ry text").publicDetail).not.toContain("c4n4ry");
		expect(faultOfStatus(503, "c4n4ry text").publicDetail).not.toContain("c4n4ry");
	});
});
