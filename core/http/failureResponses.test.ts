import { expect, test } from "bun:test";
import { defineFaults } from "#core/fault/defineFaults.ts";
import { canFail } from "#core/http/canFail.ts";
import { failureResponses } from "#core/http/failureResponses.ts";
import { httpFault } from "#core/http/httpFault.ts";

const fault = defineFaults({
	gone: { status: 404, retry: "never", public: "It is gone." },
	unclear: { status: 422, retry: "never", public: "Say which." },
});

test("[API-21] an operation shows the codes it names, and those that follow from what it takes", () => {
	const responses = failureResponses({
		parameters: [{ name: "limit" }],
		...canFail(fault.gone, fault.unclear),
	});
	expect(Object.keys(responses).sort()).toEqual(["404", "422", "429", "500"]);
	expect(JSON.stringify(responses["422"])).toContain('["unclear","validation_error"]');
	expect(JSON.stringify(responses["404"])).toContain("`gone`: It is gone.");
});

test("[API-21] what takes a body can refuse it, and what takes nothing cannot", () => {
	const withBody = failureResponses({ requestBody: {} });
	expect(Object.keys(withBody).sort()).toEqual(["400", "413", "415", "422", "429", "500"]);
	expect(Object.keys(failureResponses({})).sort()).toEqual(["429", "500"]);
	expect(Object.keys(failureResponses({ "x-failures": "nonsense" }))).toEqual(["429", "500"]);
});

test("[API-21] what asks who speaks can answer 401, named once however it is declared", () => {
	const security = [{ session: [] }];
	for (const declared of [{}, canFail(httpFault.unauthorized)]) {
		const responses = failureResponses({ security, ...declared });
		expect(Object.keys(responses).sort()).toEqual(["401", "429", "500"]);
		expect(JSON.stringify(responses["401"])).toContain('{"enum":["unauthorized"]}');
	}
	expect(failureResponses({ security: [] })).not.toHaveProperty("401");
});
