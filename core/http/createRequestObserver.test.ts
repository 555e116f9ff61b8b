import { expect, test } from "bun:test";
import { createRequestObserver, type ObservedRequest } from "#core/http/createRequestObserver.ts";
import { httpFault } from "#core/http/faults.ts";
import { targetOf } from "#core/http/testing/targetOf.ts";
import { silentLog } from "#core/log.ts";
import { createMetrics } from "#core/metrics.ts";

function observe(
	options: Partial<ObservedRequest> & {
		fault?: ReturnType<typeof httpFault.notFound>;
		path?: string;
	},
) {
	const lines: { level: string; message: string; context: Record<string, unknown> | undefined }[] =
		[];
	const at = (level: string) => (message: string, context?: Record<string, unknown>) => {
		lines.push({ level, message, context });
	};
	const log = {
		...silentLog,
		debug: at("debug"),
		info: at("info"),
		warn: at("warn"),
		error: at("error"),
	};
	const metrics = createMetrics();
	const observer = createRequestObserver({ log, metrics, clock: { nowMs: () => 1_250 } });
	const { fault, path = "/v1/links/c4n4ry?token=c4n4ry", ...rest } = options;
	observer.began();
	observer.ended({
		request: new Request(`http://localhost${path}`),
		context: {
			requestId: "r",
			target: targetOf(path),
			clientAddress: "1.2.3.4",
			headers: new Map(),
			fault,
			upgraded: false,
			isPublic: false,
			isForeign: false,
			keepOpen: () => {},
		},
		pattern: "/v1/links/:token",
		startedMs: 1_000,
		status: fault?.status ?? 200,
		...rest,
	});
	return { lines, metrics };
}

test("a request is one debug line with route, status, duration and client", () => {
	expect(observe({}).lines).toEqual([
		{
			level: "debug",
			message: "request",
			context: {
				requestId: "r",
				method: "GET",
				route: "/v1/links/:token",
				status: 200,
				durationMs: 250,
				client: "1.2.3.4",
			},
		},
	]);
});

// Guarantee: a one-time token in a path or query is never logged.
test("neither the query nor the values of path parameters are logged [SEC-07]", () => {
	expect(JSON.stringify(observe({}).lines)).not.toContain("c4n4ry");
});

test("a path that matches no route is logged as requested", () => {
	const { lines } = observe({
		pattern: undefined,
		path: "/wp-login.php",
		fault: httpFault.notFound(),
	});
	expect(lines[0]?.context).toMatchObject({ path: "/wp-login.php", code: "not_found" });
});

test("a 5xx is a warning, an unexpected one also an error with its cause", () => {
	const cause = new Error("why");
	expect(observe({ fault: httpFault.internalError({ cause }) }).lines).toMatchObject([
		{ level: "error", context: { error: cause } },
		{ level: "warn", message: "request" },
	]);
	expect(observe({ fault: httpFault.unavailable({ detail: "no rpc" }) }).lines).toMatchObject([
		{ level: "warn", context: { error: { privateDetail: "no rpc" } } },
		{ level: "warn", message: "request" },
	]);
});

test("a probe answered `not ready` is one info line with the reason, without a stack", () => {
	const fault = httpFault.notReady({ public: "Not ready: database." });
	expect(observe({ fault, pattern: "/readyz" }).lines).toEqual([
		{
			level: "info",
			message: "not ready",
			context: { requestId: "r", detail: "Not ready: database." },
		},
		expect.objectContaining({ level: "debug", message: "request" }),
	]);
});

test("a refusal's private detail is logged at debug", () => {
	const { lines } = observe({
		fault: httpFault.conflict({ detail: "held by x", meta: { id: 1 } }),
	});
	expect(lines[0]).toMatchObject({
		level: "debug",
		context: { detail: "held by x", meta: { id: 1 } },
	});
});

test("durations are in seconds, and the in-flight gauge returns to zero", async () => {
	const { body } = await observe({}).metrics.expose();
	expect(body).toContain('_sum{route="/v1/links/:token",method="GET",status_class="2xx"} 0.25');
	expect(body).toContain("tapeline_http_requests_in_flight 0");
});

test("a repeated answer is logged and counted like one of the route", async () => {
	const lines: unknown[] = [];
	const log = { ...silentLog, debug: (_: string, context?: unknown) => lines.push(context) };
	const metrics = createMetrics();
	const observer = createRequestObserver({ log, metrics, clock: { nowMs: () => 1_250 } });
	const pattern = "/v1/links/:token";
	const observe = observer.repeats({ target: targetOf("/v1/links/c4n4ry"), pattern });
	observe({ requestId: "r", clientAddress: "1.2.3.4", startedMs: 1_000, status: 200 });
	expect(lines).toEqual([
		{
			requestId: "r",
			method: "GET",
			route: pattern,
			status: 200,
			durationMs: 250,
			client: "1.2.3.4",
		},
	]);
	expect((await metrics.expose()).body).toContain(
		'_sum{route="/v1/links/:token",method="GET",status_class="2xx"} 0.25',
	);
});
