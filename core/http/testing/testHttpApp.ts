import { createHttpApp, type HttpAppOptions } from "#core/http/createHttpApp.ts";
import { privateNetworks } from "#core/http/privateNetworks.ts";
import { createMemoryLimiter } from "#core/limiter/createMemoryLimiter.ts";
import { silentLog } from "#core/log/silentLog.ts";
import { createMetrics } from "#core/metrics/createMetrics.ts";

/** An app with its own metrics and limiter, a still clock and counted request ids. For tests. */
export function testHttpApp(options: Partial<HttpAppOptions> = {}) {
	let requests = 0;
	return createHttpApp({
		log: silentLog,
		clock: { nowMs: () => 0 },
		limiter: createMemoryLimiter({ requestsMax: 600, windowSeconds: 60 }),
		metrics: createMetrics(),
		allowedOrigins: ["https://app.example"],
		trustedProxyHops: 1,
		trustedProxies: privateNetworks,
		sandbox: false,
		version: "0.0.0-test",
		health: async () => ({ status: "ok" }),
		ready: async () => ({ ready: true, components: [], degraded: [] }),
		routes: [],
		newRequestId: () => {
			requests += 1;
			return `request-${requests}`;
		},
		...options,
	});
}
