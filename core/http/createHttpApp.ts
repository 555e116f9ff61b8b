// Makes the HTTP side of the service, with liveness, readiness and metrics.

import { type AnyElysia, Elysia } from "elysia";
import { z } from "zod";
import type { Clock } from "#core/clock.ts";
import { createSlots } from "#core/http/allowance.ts";
import { createProxyList } from "#core/http/clients.ts";
import { createGate } from "#core/http/createGate.ts";
import { createOriginPolicy } from "#core/http/createOriginPolicy.ts";
import { createRequestObserver } from "#core/http/createRequestObserver.ts";
import {
	createRouteTable,
	guardSockets,
	isUpgrade,
	type RouteTable,
} from "#core/http/createRouteTable.ts";
import { faultOf, httpFault } from "#core/http/faults.ts";
import { openApiRoutes } from "#core/http/openApi.ts";
import { field } from "#core/http/openapi/schema.ts";
import { websocketLimits } from "#core/http/pages.ts";
import { problemResponse } from "#core/http/problems.ts";
import { requestContexts, strictQueries } from "#core/http/requests.ts";
import { canFail } from "#core/http/routeMarks.ts";
import type { Limiter } from "#core/limiter.ts";
import type { Log } from "#core/log.ts";
import type { Metrics } from "#core/metrics.ts";

/**
 * The report of a live process; the app adds version and sandbox flag. It is made without the
 * database or anything else that could be unreachable.
 */
export type HealthReport = { status: "ok" } & Readonly<Record<string, unknown>>;

/**
 * The state of one thing that this process needs. `detail` is public: a state, never an error's
 * text.
 */
export type ReadyComponent = { name: string; ready: boolean; detail?: string };

/** A problem that does not stop the service. All of it is public, so it never names a user. */
export type Degradation = {
	/** Stable: alerts and people refer to it. */
	code: string;
	count: number;
	oldestAgeSeconds: number;
	/** What an operator should do, in one sentence. */
	action: string;
};

/** Says whether this process may get requests, and which of its parts are not ready. */
export type ReadyReport = {
	ready: boolean;
	components: readonly ReadyComponent[];
	/**
	 * Each with the component that reports it. Empty if nothing is wrong, or nothing could be
	 * checked.
	 */
	degraded: readonly (Degradation & { component: string })[];
};

/** Says whether this server is shutting down. This is never undone. */
export type Drain = { begun(): boolean; begin(): void };

export type OperationsOptions = {
	log: Log;
	metrics: Metrics;
	version: string;
	sandbox: boolean;
	health: () => Promise<HealthReport>;
	ready: () => Promise<ReadyReport>;
	draining: () => boolean;
	readyTimeoutMs?: number;
};

export type HttpAppOptions = {
	log: Log;
	clock: Clock;
	limiter: Limiter;
	metrics: Metrics;
	allowedOrigins: readonly string[];
	trustedProxyHops: number;
	/** Addresses and ranges whose `x-forwarded-for` is trusted. */
	trustedProxies: readonly string[];
	/** The address of the port, if known: on loopback only this machine can connect. */
	listensOn?: string | undefined;
	/** The public address of this service: used in the OpenAPI document and problem types. */
	publicUrl?: string | undefined;
	sandbox: boolean;
	version: string;
	health: () => Promise<HealthReport>;
	ready: () => Promise<ReadyReport>;
	routes: readonly AnyElysia[];
	newRequestId?: () => string;
};

export type HttpApp = ReturnType<typeof createHttpApp>;

/** Limits a health check: longer than a healthy one takes, shorter than a probe waits. */
const READY_TIMEOUT_MS = 5_000;

const tags = ["operations"];

const componentSchema = z
	.object({
		name: field.text("Which part.", "database"),
		ready: field.flag("Whether it works."),
		detail: field.text("Its state in a word or two.", "migrated").optional(),
	})
	.meta({ id: "ReadyComponent", description: "A part that this process needs." });

const healthSchema = z
	.looseObject({
		status: z.literal("ok").meta({ description: "The process is alive." }),
		version: field.text("The service's version.", "0.1.0"),
		sandbox: field.flag("Whether it runs in a sandbox, where nothing is real money."),
	})
	.meta({ id: "Health", description: "What a live process says of itself." });

const degradedSchema = z
	.object({
		component: field.text("Which part says so.", "wallets"),
		code: field.text("What it is. Stable.", "intents_waiting"),
		count: z.int().meta({ description: "How many there are.", examples: [2] }),
		oldestAgeSeconds: z
			.int()
			.meta({ description: "Since how many seconds the oldest is there.", examples: [95] }),
		action: field.text("What an operator does about it.", "Look at the waiting intents."),
	})
	.meta({
		id: "Degradation",
		description: "What does not go as it should, since when, and what to do about it.",
	});

const readySchema = z
	.object({
		status: z.literal("ready").meta({ description: "Requests are answered." }),
		components: z.array(componentSchema).meta({ description: "What this process needs." }),
		degraded: z.array(degradedSchema).meta({ description: "Empty where nothing is wrong." }),
	})
	.meta({ id: "Readiness", description: "A process that may be sent requests." });

const metricsSchema = z.string().meta({
	description: "Prometheus' text format.",
	examples: ["# TYPE http_requests_in_flight gauge\nhttp_requests_in_flight 0\n"],
});

const THIS_MACHINE = "127.0.0.1";

/**
 * Makes the HTTP side of the service: the given routes, with one form of errors, one limit, one log
 * line and one set of headers around all of them.
 *
 * Start it with `listenHttp`, which also ends it in order.
 */
export function createHttpApp(options: HttpAppOptions) {
	const { publicUrl, log, metrics, clock } = options;
	const drain = createDrain();
	const app = new Elysia({
		// Native routing would answer some requests (405, malformed paths) before the gate sees them.
		systemRouter: false,
		nativeStaticResponse: false,
		websocket: websocketLimits,
		// Makes Elysia search the path directly after `http://`. By default it assumes a host of at
		// least four characters, and with a shorter one it finds another path than every other reader.
		handler: { standardHostname: false },
	}).state("drain", drain);

	app.onRequest(({ request, set }) => {
		// Bun answers the upgrade itself, so its headers must be set before.
		if (!isUpgrade(request)) return;
		const context = requestContexts.get(request);
		if (!context) return;
		Object.assign(set.headers, Object.fromEntries(context.headers));
		set.headers["x-request-id"] = context.requestId;
		if (options.sandbox) set.headers["x-svc-sandbox"] = "true";
	});
	app.onError(({ error, request }) => {
		const context = requestContexts.get(request);
		// Errors of sockets are handled by guardSockets.
		if (context?.upgraded) return;
		const fault = faultOf(error);
		// The gate answers from the context, so that nothing that a failed route set is sent.
		if (context) context.fault = fault;
		// Returned to a socket (whose `open` runs during the upgrade), it would become a frame `{}`.
		if (isUpgrade(request)) return;
		return problemResponse(fault, { requestId: context?.requestId ?? "none", publicUrl });
	});

	app.use(strictQueries(operationsRoutes({ ...options, draining: drain.begun })));
	app.use(strictQueries(openApiRoutes({ ...options, app })));
	for (const routes of options.routes) app.use(strictQueries(routes));
	guardSockets(app, log);

	const gate = createGate({
		slots: createSlots(),
		...options,
		origins: createOriginPolicy(options),
		proxies: createProxyList(options),
		observer: createRequestObserver({ log, clock, metrics }),
		newRequestId: options.newRequestId ?? (() => crypto.randomUUID()),
		draining: drain.begun,
		table: currentTable(app),
		socketAddress: (request) =>
			// Without a server the request was made in this process.
			app.server === null ? THIS_MACHINE : (app.server.requestIP(request)?.address ?? null),
		setIdleSeconds: (request, seconds) => app.server?.timeout(request, seconds),
	});
	app.wrap((next) => (request: Request) => gate(next, request));
	return app;
}

export function createDrain(): Drain {
	let begun = false;
	return {
		begun: () => begun,
		begin: () => {
			begun = true;
		},
	};
}

/** Returns the routes of liveness, readiness and metrics. */
export function operationsRoutes(options: OperationsOptions) {
	const { metrics, version, sandbox } = options;
	const ready = readiness(options);
	return new Elysia()
		.get("/healthz", async () => ({ ...(await options.health()), version, sandbox }), {
			response: { 200: healthSchema },
			detail: {
				operationId: "getHealth",
				tags,
				summary: "Whether the process is alive",
				description: "Asks neither the database nor any other server.",
			},
		})
		.get(
			"/readyz",
			async () => {
				const report = await ready();
				if (!report.ready) {
					throw httpFault.notReady({
						public: `Not ready: ${missing(report)}.`,
						members: { components: report.components },
					});
				}
				const { components, degraded } = report;
				return { status: "ready" as const, components: [...components], degraded: [...degraded] };
			},
			{
				response: { 200: readySchema },
				detail: {
					...canFail(httpFault.notReady),
					operationId: "getReadiness",
					tags,
					summary: "Whether this server may be sent requests",
					description:
						"503 with the same list of components while it may not. `degraded` never makes it not " +
						"ready: it names what an operator has to look after, while everybody is served.",
				},
			},
		)
		.get(
			"/metrics",
			async () => {
				const { contentType, body } = await metrics.expose();
				return new Response(body, { headers: { "content-type": contentType } });
			},
			{
				response: { 200: metricsSchema },
				detail: {
					operationId: "getMetrics",
					tags,
					summary: "Figures for Prometheus",
					description: "What the process counted and measured since it began.",
				},
			},
		);
}

/**
 * Returns the table of routes. They may be mounted until the first request, and by lazily loaded
 * modules even later.
 */
function currentTable(app: AnyElysia): () => RouteTable {
	let table = createRouteTable([]);
	let routesInTable = -1;
	return () => {
		const { history } = app.router;
		if (history.length !== routesInTable) {
			routesInTable = history.length;
			table = createRouteTable(history);
		}
		return table;
	};
}

/**
 * Makes the readiness check; requests that come during one share it, because checks query the
 * database.
 */
function readiness(options: OperationsOptions): () => Promise<ReadyReport> {
	let asking: Promise<ReadyReport> | undefined;
	return async () => {
		if (options.draining()) return failed({ name: "server", detail: "draining" });
		asking ??= checked(options).finally(() => {
			asking = undefined;
		});
		return asking;
	};
}

function failed(component: { name: string; detail: string }): ReadyReport {
	return { ready: false, components: [{ ...component, ready: false }], degraded: [] };
}

async function checked(options: OperationsOptions): Promise<ReadyReport> {
	const { promise: late, resolve } = Promise.withResolvers<ReadyReport>();
	const timer = setTimeout(
		() => resolve(failed({ name: "check", detail: "timed out" })),
		options.readyTimeoutMs ?? READY_TIMEOUT_MS,
	);
	try {
		return await Promise.race([options.ready(), late]);
	} catch (error) {
		options.log.warn("the readiness check failed", { error });
		return failed({ name: "check", detail: "failed" });
	} finally {
		clearTimeout(timer);
	}
}

function missing(report: ReadyReport): string {
	const names = report.components.filter(notReady).map((component) => component.name);
	return names.length === 0 ? "starting" : names.join(", ");
}

function notReady(component: ReadyComponent): boolean {
	return !component.ready;
}
