import { type AnyElysia, Elysia } from "elysia";
import type { Clock } from "#core/clock/Clock.ts";
import { createDrain } from "#core/http/createDrain.ts";
import { createGate } from "#core/http/createGate.ts";
import { createOriginPolicy } from "#core/http/createOriginPolicy.ts";
import { createProxyList } from "#core/http/createProxyList.ts";
import { createRequestObserver } from "#core/http/createRequestObserver.ts";
import { createRouteTable, type RouteTable } from "#core/http/createRouteTable.ts";
import { faultOf } from "#core/http/faultOf.ts";
import { guardSockets } from "#core/http/guardSockets.ts";
import type { HealthReport } from "#core/http/HealthReport.ts";
import { isUpgrade } from "#core/http/isUpgrade.ts";
import { openApiRoutes } from "#core/http/openApiRoutes.ts";
import { operationsRoutes } from "#core/http/operationsRoutes.ts";
import { problemResponse } from "#core/http/problemResponse.ts";
import type { ReadyReport } from "#core/http/ReadyReport.ts";
import { requestContexts } from "#core/http/requestContexts.ts";
import { strictQueries } from "#core/http/strictQueries.ts";
import { websocketLimits } from "#core/http/websocketLimits.ts";
import type { Limiter } from "#core/limiter/Limiter.ts";
import type { Log } from "#core/log/Log.ts";
import type { Metrics } from "#core/metrics/createMetrics.ts";

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

const THIS_MACHINE = "127.0.0.1";

export type HttpApp = ReturnType<typeof createHttpApp>;

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
