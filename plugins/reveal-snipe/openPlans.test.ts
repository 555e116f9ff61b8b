import { afterAll, beforeAll, expect, test } from "bun:test";
import { sessionToken } from "#plugins/wallets/session/sessionToken.ts";
import { insertPerson } from "#plugins/wallets/testing/insertPerson.ts";
import { planBodyOf } from "#test/harness/openPlansLab.ts";
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

test("its jobs run and its tools are offered to the agent", async () => {
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

test("[RVL-09] NFT_SNIPE_ENABLED=false arms nothing, says so, and keeps reveals", async () => {
	const off = await startTestService({
		...{ scanFrom: null, database: service.database },
		env: { NFT_SNIPE_ENABLED: "false" },
	});
	const { profile } = await insertPerson(off.core.db, { chainId: 31_337, nowMs: Date.now() });
	const token = sessionToken.create((count) => crypto.getRandomValues(new Uint8Array(count)));
	await off.core.db.execute(
		`insert into wallets.session (id, token_hash, profile_id, created_at, seen_at, expires_at)
		values ($1, $2, $3, now(), now(), now() + interval '1 hour')`,
		[Bun.randomUUIDv7(), sessionToken.hash(token, undefined), profile.id],
	);
	const arm = async ({ url }: TestService) => {
		const response = await fetch(`${url}/v1/nft-market/snipes`, {
			method: "POST",
			headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
			body: JSON.stringify(planBodyOf()),
		});
		return { status: response.status, ...((await response.json()) as any) };
	};
	expect(await arm(off)).toMatchObject({
		...{ status: 409, code: "snipes_disabled" },
		detail: expect.stringContaining("NFT_SNIPE_ENABLED"),
	});
	expect((await off.get("/v1/nft-market/reveals")).status).toBe(200);
	// Where it is on the same request gets as far as its collection, which there is not.
	expect(await arm(service)).toMatchObject({ status: 404 });
	await off.stop();
});
