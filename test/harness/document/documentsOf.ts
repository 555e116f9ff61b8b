import { type AnyElysia, Elysia } from "elysia";
import { type AsyncApiDocument, asyncApiDocument } from "#core/http/asyncapi/asyncApiDocument.ts";
import { type OpenApiDocument, openApiDocument } from "#core/http/openApiDocument.ts";
import { openApiRoutes } from "#core/http/openApiRoutes.ts";
import { operationsRoutes } from "#core/http/operationsRoutes.ts";
import { silentLog } from "#core/log/silentLog.ts";
import { createMetrics } from "#core/metrics/createMetrics.ts";

const about = { version: "0.0.0-test", sandbox: false };

/**
 * Returns the documents of a service with these routes, without a request to it: so nothing that a
 * test counts (requests, log lines, allowances) changes.
 */
export function documentsOf(routes: readonly AnyElysia[]): {
	openApi: OpenApiDocument;
	asyncApi: AsyncApiDocument;
} {
	const app: AnyElysia = new Elysia();
	app.use(
		operationsRoutes({
			...about,
			log: silentLog,
			metrics: createMetrics(),
			health: async () => ({ status: "ok" }),
			ready: async () => ({ ready: true, components: [], degraded: [] }),
			draining: () => false,
		}),
	);
	app.use(openApiRoutes({ ...about, app }));
	for (const one of routes) app.use(one);
	return {
		openApi: openApiDocument({ ...about, app }),
		asyncApi: asyncApiDocument({ ...about, app }),
	};
}
