import { httpFault } from "#core/http/httpFault.ts";

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
