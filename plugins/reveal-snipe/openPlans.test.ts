import { afterAll, beforeAll, expect, test } from "bun:test";
import { startTestService, type TestService } from "#test/harness/startTestService.ts";

// Guarantee: the shipped service has the documented routes, jobs and tools of plans.

let service: TestService;
beforeAll(async () => {
	service = await startTestService({ scanFrom: null });
});
afterAll(async () => {
	await service?.stop();
	await service?.database.drop();
});

test("every route of plans is in the OpenAPI document, and authenticates first", async () => {
	const { body } = await service.get("/openapi/json");
	const paths = Object.keys(body.paths).filter((path) => path.includes("/snipes"));
	expect(paths.sort()).toEqual([
		"/v1/nft-market/snipes",
		"/v1/nft-market/snipes/dry-run",
		"/v1/nft-market/snipes/{id}",
		"/v1/nft-market/snipes/{id}/cancel",
		"/v1/nft-market/snipes/{id}/dry-run",
		"/v1/nft-market/snipes/{id}/pause",
		"/v1/nft-market/snipes/{id}/resume",
	]);
	for (const path of paths) {
		for (const [method, operation] of Object.entries<any>(body.paths[path])) {
			expect([method, path, operation.security]).toEqual([method, path, [{ session: [] }]]);
			expect(operation.responses["401"]).toBeDefined();
		}
	}
	expect((await service.get("/v1/nft-market/snipes")).status).toBe(401);
});

test("the plans' jobs run and their tools are offered to the agent", async () => {
	const jobs = service.host.jobs.map(({ name }) => name);
	for (const job of ["planned", "due-plans", "check-plans", "prune-books"]) {
		expect(jobs).toContain(`reveal-snipe.${job}`);
	}
	for (const job of service.host.jobs) {
		if (!/^reveal-snipe\.(planned|due-plans|check-plans|prune-books)$/.test(job.name)) continue;
		await job.run({ signal: AbortSignal.timeout(job.timeoutMs) });
	}
	const { body } = await service.get("/v1/agent/tools");
	const names = JSON.stringify(body);
	for (const tool of ["read_reveals", "list_plans", "arm_plan", "pause_plan", "cancel_plan"]) {
		expect(names).toContain(`"${tool}"`);
	}
});
