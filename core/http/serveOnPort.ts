import { httpFault } from "#core/http/httpFault.ts";

/**
 * `Bun.serve`. Most starts that fail here fail on a port: said as what it is, and which variable
 * decides it.
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
