import { serveOnPort } from "#core/http/serveOnPort.ts";

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
