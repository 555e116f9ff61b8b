import { inProcessBudget } from "#core/budget/testing/inProcessBudget.ts";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import type { Log } from "#core/log.ts";
import { createMetrics } from "#core/metrics.ts";
import { createProvider, offStream } from "#plugins/provider/createProvider.ts";

export type Seen = { method: string; path: string; query: string; headers: Headers; body: string };
type Handler = (request: Request, turn: number) => Response | Promise<Response>;

/**
 * Opens a client against a real server of this process that answers as it is told; time passes only
 * where the client waits.
 *
 * @example
 * using lab = providerLab(() => Response.json({ collections: [] }));
 * await lab.provider.top({ purpose: "request" });
 */
export function providerLab(
	handler: Handler,
	options: { apiKey?: string; timeoutMs?: number; ending?: AbortSignal } = {},
) {
	const seen: Seen[] = [];
	const sentAtMs: number[] = [];
	const lines: { message: string; context: Record<string, unknown> }[] = [];
	const waits: number[] = [];
	const time = { nowMs: Date.UTC(2026, 0, 1) };
	const clock = { nowMs: () => time.nowMs };
	const server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		idleTimeout: 0,
		async fetch(request) {
			const url = new URL(request.url);
			const { method, headers } = request;
			sentAtMs.push(time.nowMs);
			const body = await request.clone().text();
			seen.push({ method, path: url.pathname, query: url.search, headers, body });
			return handler(request, seen.length);
		},
	});
	const log: Log = {
		debug: () => {},
		info: () => {},
		warn: (message, context = {}) => void lines.push({ message, context }),
		error: (message, context = {}) => void lines.push({ message, context }),
		with: () => log,
	};
	const metrics = createMetrics();
	const provider = createProvider({
		core: {
			clock,
			log,
			metrics,
			budget: inProcessBudget({ clock }),
			chains: createChainRegistry(builtinChains),
		},
		baseUrl: `http://127.0.0.1:${server.port}`,
		stream: offStream,
		wait: async (ms) => {
			waits.push(ms);
			time.nowMs += ms;
		},
		...options,
	});
	return {
		provider,
		seen,
		sentAtMs,
		lines,
		waits,
		time,
		metrics,
		url: `http://127.0.0.1:${server.port}`,
		[Symbol.dispose]: () => void server.stop(true),
	};
}
