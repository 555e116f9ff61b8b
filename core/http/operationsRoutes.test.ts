import { expect, test } from "bun:test";
import { Elysia } from "elysia";
import { type OperationsOptions, operationsRoutes } from "#core/http/operationsRoutes.ts";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";
import { silentLog } from "#core/log/silentLog.ts";
import { createMetrics } from "#core/metrics/createMetrics.ts";

type TestApp = ReturnType<typeof testHttpApp>;
const get = (app: TestApp, path: string) => app.handle(new Request(`http://localhost${path}`));

test("healthz tells version and sandbox, and what the process adds", async () => {
	const app = testHttpApp({ sandbox: true, health: async () => ({ status: "ok", role: "api" }) });
	const response = await get(app, "/healthz");
	expect(response.status).toBe(200);
	expect(await response.json()).toEqual({
		status: "ok",
		role: "api",
		version: "0.0.0-test",
		sandbox: true,
	});
});

// Guarantee: an unreachable database never makes a live process look dead.
test("healthz answers while the readiness check hangs", async () => {
	const app = testHttpApp({ ready: () => new Promise(() => {}) });
	expect((await get(app, "/healthz")).status).toBe(200);
});

test("readyz lists the components, with 200 or 503", async () => {
	const database = { name: "database", ready: true };
	const lanes = { name: "lanes", ready: false, detail: "behind" };
	const up = await get(
		testHttpApp({ ready: async () => ({ ready: true, components: [database], degraded: [] }) }),
		"/readyz",
	);
	expect([up.status, await up.json()]).toEqual([
		200,
		{ status: "ready", components: [database], degraded: [] },
	]);
	const down = await get(
		testHttpApp({
			ready: async () => ({ ready: false, components: [database, lanes], degraded: [] }),
		}),
		"/readyz",
	);
	expect(down.status).toBe(503);
	expect(down.headers.get("content-type")).toBe("application/problem+json");
	expect(down.headers.get("retry-after")).toBe("5");
	expect(await down.json()).toMatchObject({
		code: "not_ready",
		detail: "Not ready: lanes.",
		components: [database, lanes],
	});
});

test("readyz names what is degraded, and is still 200", async () => {
	const stuck = { component: "a", code: "stuck", count: 2, oldestAgeSeconds: 5, action: "Look." };
	const degraded = await get(
		testHttpApp({ ready: async () => ({ ready: true, components: [], degraded: [stuck] }) }),
		"/readyz",
	);
	expect([degraded.status, await degraded.json()]).toEqual([
		200,
		{ status: "ready", components: [], degraded: [stuck] },
	]);
});

test("a check that throws is not ready, and its text stays in the log [SEC-07]", async () => {
	const response = await get(
		testHttpApp({ ready: () => Promise.reject(new Error("postgres://u:c4n4ry@db refused")) }),
		"/readyz",
	);
	expect(response.status).toBe(503);
	const text = await response.text();
	expect(text).toContain('"detail":"failed"');
	expect(text).not.toContain("c4n4ry");
});

const alone = (options: Partial<OperationsOptions>) =>
	operationsRoutes({
		log: silentLog,
		metrics: createMetrics(),
		version: "0",
		sandbox: false,
		health: async () => ({ status: "ok" }),
		ready: async () => ({ ready: true, components: [], degraded: [] }),
		draining: () => false,
		...options,
	});

test("a check that hangs is not ready after its time", async () => {
	const thrown: unknown[] = [];
	const app = new Elysia().onError(({ error }) => {
		thrown.push(error);
		return "";
	});
	app.use(alone({ ready: () => new Promise(() => {}), readyTimeoutMs: 1 }));
	await app.handle(new Request("http://localhost/readyz"));
	expect(thrown).toMatchObject([
		{ code: "not_ready", members: { components: [{ name: "check", detail: "timed out" }] } },
	]);
});

test("requests at the same time are one check, and the next checks again", async () => {
	let checks = 0;
	const routes = alone({
		ready: async () => {
			checks += 1;
			return { ready: true, components: [], degraded: [] };
		},
	});
	const ask = () => routes.handle(new Request("http://localhost/readyz"));
	await Promise.all([ask(), ask(), ask()]);
	expect(checks).toBe(1);
	await ask();
	expect(checks).toBe(2);
});

test("metrics answers in Prometheus' type", async () => {
	const response = await get(testHttpApp(), "/metrics");
	expect(response.headers.get("content-type")).toStartWith("text/plain; version=0.0.4");
	expect(await response.text()).toContain(
		"# TYPE tapeline_http_request_duration_seconds histogram",
	);
});
