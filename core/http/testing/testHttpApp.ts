import { privateNetworks } from "#core/http/clients.ts";
import { createHttpApp, type HttpAppOptions } from "#core/http/createHttpApp.ts";
import { openApiDocument } from "#core/http/openApi.ts";
import { createStatusWatch } from "#core/http/testing/createStatusWatch.ts";
import { lazily } from "#core/http/testing/lazily.ts";
import { createMemoryLimiter } from "#core/limiter.ts";
import { silentLog } from "#core/log.ts";
import { createMetrics } from "#core/metrics.ts";

/**
 * Makes an app with its own metrics and limiter, a fixed clock and counted request ids. For tests.
 *
 * `handle` fails where a route with a name in the OpenAPI document (`operationId`) answers with a
 * status that the document does not list for it.
 */
export function testHttpApp(options: Partial<HttpAppOptions> = {}) {
	let requests = 0;
	const statuses = createStatusWatch(options.log ?? silentLog);
	const clock = options.clock ?? { nowMs: () => 0 };
	const app = createHttpApp({
		clock,
		limiter: createMemoryLimiter({ requestsMax: 600, windowSeconds: 60, clock }),
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
		log: statuses.log,
	});
	const document = lazily(() => openApiDocument({ app, version: "0.0.0-test", sandbox: false }));
	const isNamed = lazily(() =>
		app.router.history.some(
			({ path, hooks }) => path.startsWith("/v1/") && hooks?.detail?.operationId,
		),
	);
	const { handle } = app;
	app.handle = async (request) => {
		const response = await handle(request);
		if (!isNamed()) return response;
		const [undocumented] = statuses.undocumented(document);
		if (undocumented === undefined) return response;
		throw new Error(`the OpenAPI document does not name the answer ${undocumented}`);
	};
	return app;
}
