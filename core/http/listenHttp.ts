// Starts an app on a port, and ends it in order.

import type { ServerWebSocket } from "bun";
import { websocket } from "elysia/ws";
import type { HttpApp } from "#core/http/createHttpApp.ts";
import { httpFault } from "#core/http/faults.ts";
import { websocketLimits } from "#core/http/pages.ts";
import { problemResponse } from "#core/http/problems.ts";
import { segmentRoutes, withoutSegments } from "#core/http/requests.ts";
import type { Log } from "#core/log.ts";

export type HttpListener = {
	port: number;
	url: string;
	/**
	 * Ends in order: not ready, no new sockets, a reconnect message to streams, requests finished.
	 */
	stop(): Promise<void>;
};

export type ListenHttpOptions = {
	host: string;
	/** 0 takes any free port. */
	port: number;
	log: Log;
	/** How long readiness reports 503 before connections end, so that a load balancer can notice. */
	noticeMs?: number;
	/** The time for open requests; then they are cut off. */
	drainMs?: number;
};

type Socket = ServerWebSocket<unknown>;

type Draining = ListenHttpOptions & {
	app: HttpApp;
	server: Bun.Server<unknown>;
	sockets: ReadonlySet<Socket>;
};

/** Supervisors (Kubernetes, systemd) kill after 30 s or more. */
const DRAIN_MS = 25_000;

/** RFC 6455's registry: Service Restart. Clients reconnect by themselves, to another server. */
const CLOSE_RESTART = 1012;

/** Closes a connection without traffic for this long; streams ping more often than that. */
const IDLE_SECONDS = 30;

/**
 * Starts an app on a port; returns the listener.
 *
 * Uses `Bun.serve` directly, because Elysia's `listen` shares the port with any other program that
 * asks for it (`reusePort`), moves static routes in front of the app, and adds a process listener
 * for every start.
 */
export async function listenHttp(app: HttpApp, options: ListenHttpOptions): Promise<HttpListener> {
	await app.modules;
	app.compile();
	// Elysia contains an older copy of Bun's types; the value is the handler that its `listen` uses.
	const elysia = websocket as unknown as Bun.WebSocketHandler<unknown>;
	const sockets = new Set<Socket>();
	const answer = (request: Request) => app.fetch(request);
	const server = serveOnPort({
		hostname: options.host,
		port: options.port,
		development: false,
		reusePort: false,
		idleTimeout: IDLE_SECONDS,
		// The gate limits bodies and answers a problem document; Bun's own refusal is a bare 413.
		maxRequestBodySize: Number.MAX_SAFE_INTEGER,
		routes: segmentRoutes(answer),
		fetch: (request) => answer(withoutSegments(request)),
		error(error) {
			// The gate catches everything; if it fails itself, Bun would show its own page.
			options.log.error("a request failed outside the app", { error });
			return problemResponse(httpFault.internalError(), { requestId: "none" });
		},
		websocket: {
			...elysia,
			...websocketLimits,
			open(socket: Socket) {
				sockets.add(socket);
				return elysia.open?.(socket);
			},
			close(socket: Socket, code: number, reason: string) {
				sockets.delete(socket);
				return elysia.close?.(socket, code, reason);
			},
		},
	});
	app.server = server;
	let stopping: Promise<void> | undefined;
	return {
		port: server.port ?? options.port,
		url: urlOf(options.host, server.port ?? options.port),
		stop() {
			stopping ??= drain({ ...options, app, server, sockets });
			return stopping;
		},
	};
}

/**
 * Throws where another program listens on a port, as the start itself would.
 *
 * For starts that prepare for a minute before they listen. Another program may still take the port
 * in between; then the start throws.
 */
export async function refuseTakenPort(at: { host: string; port: number }): Promise<void> {
	const { host: hostname, port } = at;
	const server = serveOnPort({ hostname, port, reusePort: false, fetch: () => new Response() });
	await server.stop(true);
}

/**
 * Calls `Bun.serve`; for a taken port it throws an error that names the port and the variable that
 * sets it, the most frequent reason why a start fails.
 */
export function serveOnPort(options: Parameters<typeof Bun.serve<unknown>>[0]) {
	try {
		return Bun.serve(options);
	} catch (cause) {
		const isTaken = cause instanceof Error && "code" in cause && cause.code === "EADDRINUSE";
		if (!isTaken) throw cause;
		const port = "port" in options ? options.port : "";
		throw httpFault.portInUse({
			public: `PORT is ${port}, and another program listens there. Stop it, or set another PORT.`,
			cause,
		});
	}
}

function urlOf(host: string, port: number): string {
	if (host === "0.0.0.0" || host === "::") return `http://localhost:${port}`;
	return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

async function drain({ app, server, sockets, ...options }: Draining): Promise<void> {
	app.store.drain.begin();
	if (options.noticeMs) await Bun.sleep(options.noticeMs);
	for (const socket of sockets) socket.close(CLOSE_RESTART, "restarting");
	const finished = server.stop(false).then(() => true);
	const { promise: late, resolve } = Promise.withResolvers<boolean>();
	const timer = setTimeout(() => resolve(false), options.drainMs ?? DRAIN_MS);
	const inOrder = await Promise.race([finished, late]);
	clearTimeout(timer);
	if (!inOrder) {
		options.log.warn("requests were cut off by the end of the drain", {
			requests: server.pendingRequests,
			sockets: server.pendingWebSockets,
		});
		await server.stop(true);
	}
	app.server = null;
}
