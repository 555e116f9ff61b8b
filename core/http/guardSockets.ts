import { type AnyElysia, ValidationError } from "elysia";
import type { Log } from "#core/log/Log.ts";

/**
 * Puts an error handler of ours before those of every mounted stream.
 *
 * Elysia looks for handlers only on the instance where a stream was declared, so an `onError` of
 * the whole app never hears of it; without any, it sends a frame that fails its schema back with
 * everything in it. Call it after the routes are mounted.
 */
export function guardSockets(app: AnyElysia, log: Log): void {
	const guard = ({ error }: { error: unknown }) => {
		// Returns nothing, so that a stream's own handler still decides what its client reads. Frames
		// that are merely wrong are the client's affair: in the log they would be a way to fill it.
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
