// Recognises requests for WebSockets, and handles the errors of streams.

import { type AnyElysia, ValidationError } from "elysia";
import type { Log } from "#core/log.ts";

/**
 * Puts our error handler before those of every mounted stream.
 *
 * Elysia looks for handlers only on the instance where a stream was declared, so an `onError` of
 * the whole app is not called; without any handler, it sends an invalid frame back with all its
 * content. Call it after the routes are mounted.
 */
export function guardSockets(app: AnyElysia, log: Log): void {
	const guard = ({ error }: { error: unknown }) => {
		// Returns nothing, so that a stream's own handler still decides its client's answer. Invalid
		// frames are only in the debug log: otherwise clients could fill the log.
		if (error instanceof ValidationError) log.debug("a socket sent a frame that is not valid");
		else log.error("a socket's handler failed", { error });
	};
	for (const route of app.router.history) {
		const stream: unknown =
			route.method === "WS" ? Reflect.get(route.hooks, "websocket") : undefined;
		if (typeof stream !== "object" || stream === null) continue;
		const own: unknown = Reflect.get(stream, "error") ?? [];
		Reflect.set(stream, "error", [guard, ...(Array.isArray(own) ? own : [own])]);
	}
}

/** Returns whether a request asks for a WebSocket, by Elysia's own rule. */
export function isUpgrade(request: Request): boolean {
	return request.method === "GET" && request.headers.get("upgrade") === "websocket";
}
