import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStorage } from "#api/service/openStorage.ts";
import { type Service, startService } from "#api/service/startService.ts";
import { type FakeNode, fakeNode } from "#core/chain/rpc/testing/fakeNode.ts";
import type { Environment } from "#core/config/readEnvironment.ts";
import { Fault } from "#core/fault.ts";
import { silentLog } from "#core/log.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
let node: FakeNode;
let folder: string;
const services: Service[] = [];
beforeAll(async () => {
	database = await createTestDatabase();
	node = fakeNode();
	folder = mkdtempSync(join(tmpdir(), "tapeline-service-"));
});
afterEach(async () => {
	for (const service of services.splice(0)) await service.stop();
});
afterAll(async () => {
	await node.stop();
	rmSync(folder, { recursive: true });
	await database.drop();
});

/** Nothing here reaches beyond this machine: the chain is a fake, the database our own. */
const environment = (env: Environment = {}): Environment => ({
	DATABASE_URL: database.connectionString,
	PORT: "0",
	CHAINS: "anvil",
	CHAIN_RPC_URLS_JSON: JSON.stringify({ anvil: [node.url] }),
	...env,
});

async function start(env?: Environment): Promise<Service> {
	const service = await startService({ env: environment(env), log: silentLog });
	services.push(service);
	return service;
}

async function refusal(env: Environment): Promise<Fault> {
	const failed = await startService({ env, log: silentLog }).catch((error) => error);
	expect(failed).toBeInstanceOf(Fault);
	return failed as Fault;
}

const connections = () =>
	database.db.query<{ name: string }>(
		`select application_name as name from pg_stat_activity
		where datname = current_database() and application_name in ('tapeline', 'tapeline queue')`,
	);

describe("a service that cannot start", () => {
	test("the error for missing CHAINS comes before a database is opened", async () => {
		expect((await refusal({ DATABASE_URL: "postgresql://127.0.0.1:1/x" })).code).toBe(
			"chains_missing",
		);
	});

	test("a bad configuration is refused with all its problems", async () => {
		const failed = await refusal(environment({ PORT: "x", TRUSTED_PROXY_HOPS: "-1" }));
		expect(failed.privateDetail).toMatch(/PORT[\s\S]*TRUSTED_PROXY_HOPS/);
	});

	test("the error for a database that does not answer has no password", async () => {
		const url = "postgresql://me:c4n4ry@127.0.0.1:1/tapeline";
		const failed = await refusal(environment({ DATABASE_URL: url }));
		expect(failed).toMatchObject({ code: "database_unreachable", retry: "later" });
		expect(Bun.inspect(failed)).not.toContain("c4n4ry");
	});

	test("the error for an invalid REDIS_URL names it, and no connection stays open", async () => {
		const failed = await refusal(environment({ REDIS_URL: "redis://:c4n4ry@cache:99999" }));
		expect(failed).toMatchObject({ code: "redis_url", retry: "never" });
		expect(Bun.inspect(failed)).not.toContain("c4n4ry");
		while ((await connections()).length > 0);
	});

	test("the error for a plugin that fails to start names it, and no connection stays open", async () => {
		const file = join(folder, "failing.ts");
		writeFileSync(
			file,
			`import { z } from "${join(import.meta.dir, "../../node_modules/zod/index.js")}";
			export const failing = {
				name: "failing", version: "1", needs: {}, config: z.object({}),
				setup: () => ({ start: () => Promise.reject("no licence") }),
			};`,
		);
		const failed = await refusal(environment({ PLUGINS: file }));
		expect(failed.publicDetail).toBe('The plugin "failing" did not start: no licence');
		while ((await connections()).length > 0);
	});
});

describe("a service", () => {
	test("a service whose Redis does not answer is ready, and reports Redis as degraded", async () => {
		const service = await start({ ROLE: "api", REDIS_URL: "redis://:c4n4ry@127.0.0.1:1" });
		const ready = await fetch(`${service.url}/readyz`);
		const text = await ready.text();
		expect(ready.status).toBe(200);
		expect(JSON.parse(text).components).toContainEqual({
			name: "redis",
			ready: true,
			detail: "away: caches, limits and hints are this process's own",
		});
		expect(text).not.toContain("c4n4ry");
		const figures = await (await fetch(`${service.url}/metrics`)).text();
		expect(figures).toContain("tapeline_redis_up 0");
	});

	test("a service answers while it runs, and closes everything when it stops", async () => {
		const service = await start();
		const health = await fetch(`${service.url}/healthz`);
		expect(await health.json()).toMatchObject({
			status: "ok",
			role: "all",
			holder: service.core.holder,
		});
		await Promise.all([service.stop(), service.stop()]);
		expect(await fetch(`${service.url}/healthz`).catch(() => "gone")).toBe("gone");
		while ((await connections()).length > 0);
	});

	test("a service with the role of the API runs no queue, and a worker has no market routes", async () => {
		// A connection that an earlier service closed may take the server a moment to forget.
		while ((await connections()).length > 0);
		const api = await start({ ROLE: "api" });
		expect((await connections()).map(({ name }) => name)).not.toContain("tapeline queue");
		const worker = await start({ ROLE: "worker" });
		const path = "/v1/nft-market/collections?chain=anvil";
		expect((await fetch(`${worker.url}${path}`)).status).toBe(404);
		expect((await fetch(`${api.url}${path}`)).status).toBe(200);
	});
});

test("storage that is opened a second time finds its schemas up to date", async () => {
	const config = { DATABASE_URL: database.connectionString, DATA_DIR: folder, CHAINS: [] };
	for (let turn = 0; turn < 2; turn++) {
		const storage = await openStorage(config, [], silentLog);
		expect(await storage.db.query("select 1 as one")).toEqual([{ one: 1 }]);
		expect(storage.where).not.toContain(database.connectionString);
		await storage.close();
	}
});
