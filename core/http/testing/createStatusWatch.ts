import type { OpenApiDocument } from "#core/http/openApi.ts";
import { isRecord } from "#core/http/openapi/schema.ts";
import type { Log } from "#core/log.ts";

export type StatusWatch = {
	/** The same log; its request lines are recorded. */
	log: Log;
	/** Returns answers whose status the document does not name, as `GET /v1/… 418`. */
	undocumented(document: () => OpenApiDocument): string[];
};

/**
 * Makes a recorder of the status of every answer of a service, from the access log, so that tests
 * find every undocumented status.
 */
export function createStatusWatch(log: Log): StatusWatch {
	const seen = new Set<string>();
	function watched(inner: Log): Log {
		return {
			...inner,
			debug: note("debug"),
			warn: note("warn"),
			with: (context) => watched(inner.with(context)),
		};
		function note(level: "debug" | "warn") {
			return (message: string, context: Record<string, unknown> = {}) => {
				const { method, route, status } = context;
				if (message === "request" && route !== undefined) seen.add(`${method} ${route} ${status}`);
				inner[level](message, context);
			};
		}
	}
	return {
		log: watched(log),
		undocumented: (document) =>
			[...seen].filter((line) => {
				const { paths } = document();
				const [method = "", route = "", status = ""] = line.split(" ");
				const path = route.replaceAll(/:([A-Za-z]+)/g, "{$1}");
				const verb = method === "HEAD" ? "get" : method.toLowerCase();
				const operation = paths[path]?.[verb];
				if (!isRecord(operation) || !isRecord(operation.responses)) return false;
				return !Object.hasOwn(operation.responses, status);
			}),
	};
}
