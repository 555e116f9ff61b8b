import { expect, test } from "bun:test";
import { faultOfStatus } from "#core/http/faultOfStatus.ts";

test("every status from 400 to 599 has a fault that answers with an error", () => {
	for (let status = 400; status < 600; status += 1) {
		const fault = faultOfStatus(status);
		expect(fault.code).toMatch(/^[a-z][a-z0-9_]*$/);
		expect(fault.status).toBe(status < 500 || status === 500 ? status : 503);
	}
});

test("a status that is no error is our mistake", () => {
	expect(faultOfStatus(200)).toMatchObject({ status: 500, code: "internal_error" });
});

test("a bare 500 never repeats what was told", () => {
	expect(faultOfStatus(500, "c4n4ry text").publicDetail).not.toContain("c4n4ry");
	expect(faultOfStatus(503, "c4n4ry text").publicDetail).not.toContain("c4n4ry");
});
