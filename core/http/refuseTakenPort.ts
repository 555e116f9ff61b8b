import { serveOnPort } from "#core/http/serveOnPort.ts";

/**
 * Throws where another program listens on a port, as the start itself would.
 *
 * For whoever prepares for a minute before it listens. Another program may still come in between;
 * then the start says it.
 */
export async function refuseTakenPort(at: { host: string; port: number }): Promise<void> {
	const { host: hostname, port } = at;
	const server = serveOnPort({ hostname, port, reusePort: false, fetch: () => new Response() });
	await server.stop(true);
}
