// Writes the access log and the metrics of requests.

import type { Clock } from "#core/clock.ts";
import type { Fault } from "#core/fault.ts";
import type { RequestContext, RequestTarget } from "#core/http/requests.ts";
import type { Log } from "#core/log.ts";
import type { Metrics } from "#core/metrics.ts";

export type ObservedRequest = {
	request: Request;
	context: RequestContext;
	/** The route's pattern; undefined where no route matches. */
	pattern: string | undefined;
	startedMs: number;
	status: number;
};

/** A repeated page (200 or 304) that was answered at once: it is never counted as in flight. */
export type ObservedRepeat = {
	requestId: string;
	clientAddress: string;
	startedMs: number;
	status: 200 | 304;
};

/** Holds what all repeated answers of one URL share. */
export type RepeatedWhere = { target: RequestTarget; pattern: string | undefined };

export type RequestObserver = {
	began(): void;
	ended(observed: ObservedRequest): void;
	/** Returns the function that records repeated answers of one route as `ended` would. */
	repeats(where: RepeatedWhere): (repeat: ObservedRepeat) => void;
};

const BUCKETS_SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const STATUS_CLASSES = ["0xx", "1xx", "2xx", "3xx", "4xx", "5xx"];
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Makes the writer of the access log, the log of failures, and the request metrics. */
export function createRequestObserver(options: {
	log: Log;
	clock: Clock;
	metrics: Metrics;
}): RequestObserver {
	const { log, clock, metrics } = options;
	const inFlight = metrics.gauge({
		name: "http_requests_in_flight",
		help: "Requests being answered.",
	});
	const duration = metrics.histogram({
		name: "http_request_duration_seconds",
		help: "Time until a request's answer began, by route pattern.",
		labels: ["route", "method", "status_class"],
		buckets: BUCKETS_SECONDS,
	});
	return {
		began: () => inFlight.inc({}, 1),
		ended(observed) {
			const { request, context, pattern, status } = observed;
			inFlight.inc({}, -1);
			const durationMs = clock.nowMs() - observed.startedMs;
			duration.observe(
				{
					// The pattern, never the path: paths are unlimited in number and contain user input.
					route: pattern ?? "unmatched",
					method: METHODS.has(request.method) ? request.method : "other",
					status_class: STATUS_CLASSES[Math.floor(status / 100)] ?? "other",
				},
				durationMs / 1000,
			);
			if (context.fault) logFailure(context.fault, { log, observed });
			const level = status >= 500 && !isNotReady(context.fault) ? "warn" : "debug";
			const { requestId, clientAddress: client, fault, target } = context;
			const about = { requestId, method: request.method, status, durationMs, client };
			// Without the query and the path's values: links carry one-time tokens.
			const where = pattern === undefined ? { path: target.path } : { route: pattern };
			log[level]("request", { ...about, ...where, ...(fault && { code: fault.code }) });
		},
		repeats({ target, pattern }) {
			const method = "GET";
			const route = pattern ?? "unmatched";
			const given = duration.series({ route, method, status_class: "2xx" });
			const unchanged = duration.series({ route, method, status_class: "3xx" });
			const where = pattern === undefined ? "path" : "route";
			const place = pattern ?? target.path;
			return ({ requestId, clientAddress: client, startedMs, status }) => {
				const durationMs = clock.nowMs() - startedMs;
				(status === 304 ? unchanged : given).observe(durationMs / 1_000);
				log.debug("request", { requestId, method, status, durationMs, client, [where]: place });
			};
		},
	};
}

/** Returns true for a probe's answer during start or shutdown: expected, not a failure. */
function isNotReady(fault: Fault | undefined): boolean {
	return fault?.code === "not_ready";
}

function logFailure(fault: Fault, where: { log: Log; observed: ObservedRequest }): void {
	const { request, context, pattern } = where.observed;
	const about = { requestId: context.requestId, method: request.method, route: pattern };
	if (fault.code === "internal_error") {
		// With the cause and its stack, which are logged nowhere else.
		where.log.error("a request failed", { ...about, error: fault.cause ?? fault });
	} else if (isNotReady(fault)) {
		where.log.info("not ready", { requestId: context.requestId, detail: fault.publicDetail });
	} else if (fault.status >= 500) {
		where.log.warn("a request cannot be answered", { ...about, error: fault });
	} else if (fault.privateDetail !== undefined) {
		where.log.debug("a request was refused", {
			...about,
			code: fault.code,
			detail: fault.privateDetail,
			meta: fault.meta,
		});
	}
}
