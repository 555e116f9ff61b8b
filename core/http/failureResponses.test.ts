import { expect, test } from "bun:test";
import { defineFaults } from "#core/fault.ts";
import { commonResponses, failureResponses } from "#core/http/failureResponses.ts";
import { httpFault } from "#core/http/faults.ts";
import { canFail, tellsInWords } from "#core/http/routeMarks.ts";

const fault = defineFaults({
	gone: { status: 404, retry: "never", public: "It is gone." },
	unclear: { status: 422, retry: "never", public: "Say which." },
});

test("an operation documents its own codes, and those that follow from its parameters", () => {
	const responses = failureResponses({
		parameters: [{ name: "limit" }],
		...canFail(fault.gone, fault.unclear),
	});
	expect(Object.keys(responses).sort()).toEqual(["400", "404", "422", "429", "500", "503"]);
	expect(JSON.stringify(responses["422"])).toContain('["unclear","validation_error"]');
	expect(JSON.stringify(responses["404"])).toContain("`gone`: It is gone.");
});

test("a status with only common codes refers to the shared response", () => {
	const { 429: limited, 422: invalid } = failureResponses({ parameters: [{ name: "limit" }] });
	expect(limited).toEqual({ $ref: "#/components/responses/TooManyRequests" });
	expect(invalid).toEqual({ $ref: "#/components/responses/UnprocessableEntity" });
	const shared = commonResponses();
	expect(JSON.stringify(shared["TooManyRequests"])).toContain('{"enum":["rate_limited"]}');
	expect(shared["ServiceUnavailable"]).toHaveProperty(["headers", "retry-after"]);
	expect(shared["InternalServerError"]).not.toHaveProperty("headers");
});

test("an operation that changes state documents 403 for origins, and only the API documents 429", () => {
	const statuses = (method: string, path: string) =>
		Object.keys(failureResponses({}, { method, path })).sort();
	expect(statuses("post", "/v1/x")).toEqual([
		...["400", "403", "413", "415", "422", "429", "500", "503"],
	]);
	expect(statuses("get", "/healthz")).toEqual(["400", "422", "500"]);
});

test("every operation documents 422 for invalid bodies and unknown parameters", () => {
	const always = ["400", "422", "429", "500", "503"];
	const withBody = failureResponses({ requestBody: {} });
	expect(Object.keys(withBody).sort()).toEqual(["400", "422", "429", "500", "503"]);
	expect(Object.keys(failureResponses({})).sort()).toEqual(always);
	expect(Object.keys(failureResponses({ "x-failures": "nonsense" })).sort()).toEqual(always);
});

test("an operation that tells errors in words documents both forms of each", () => {
	for (const told of Object.values(failureResponses(tellsInWords()))) {
		expect(told).toHaveProperty(["content", "text/plain"]);
		expect(told).toHaveProperty(["content", "application/problem+json"]);
	}
	expect(JSON.stringify(failureResponses({}))).not.toContain("text/plain");
});

test("an operation that needs a session documents 401 once", () => {
	const security = [{ session: [] }];
	for (const declared of [{}, canFail(httpFault.unauthorized)]) {
		const responses = failureResponses({ security, ...declared });
		expect(Object.keys(responses).sort()).toEqual(["400", "401", "422", "429", "500", "503"]);
		expect(responses["401"]).toEqual({ $ref: "#/components/responses/Unauthorized" });
	}
	expect(failureResponses({ security: [] })).not.toHaveProperty("401");
});

test("a list with a cursor documents cursor_mismatch, and a compressed answer documents 406", () => {
	const codes = (operation: Record<string, unknown>, status: string) =>
		JSON.stringify(failureResponses(operation)[status] ?? "");
	expect(codes({ parameters: [{ name: "cursor" }] }, "422")).toContain("cursor_mismatch");
	expect(codes({ parameters: [{ name: "limit" }] }, "422")).not.toContain("cursor_mismatch");
	expect(failureResponses({ "x-cached": true })).toHaveProperty("406");
	expect(failureResponses({})).not.toHaveProperty("406");
});
