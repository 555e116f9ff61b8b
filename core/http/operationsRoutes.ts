import { Elysia } from "elysia";
import { z } from "zod";
import type { HealthReport } from "#core/http/HealthReport.ts";
import { httpFault } from "#core/http/httpFault.ts";
import type { ReadyComponent, ReadyReport } from "#core/http/ReadyReport.ts";
import type { Log } from "#core/log/Log.ts";
import type { Metrics } from "#core/metrics/createMetrics.ts";

export type OperationsOptions = {
	log: Log;
	metrics: Metrics;
	version: string;
	sandbox: boolean;
	health: () => Promise<HealthReport>;
	ready: () => Promise<ReadyReport>;
	draining: () => boolean;
	readyTimeoutMs?: number;
};

/** Longer than any healthy check, shorter than the patience of whoever asks. */
const READY_TIMEOUT_MS = 5_000;

const tags = ["operations"];

const componentSchema = z.object({
	name: z.string(),
	ready: z.boolean(),
	detail: z.string().optional(),
});

const healthSchema = z.looseObject({
	status: z.literal("ok"),
	version: z.string(),
	sandbox: z.boolean(),
});

const degradedSchema = z
	.object({
		component: z.string(),
		code: z.string(),
		count: z.int(),
		oldestAgeSeconds: z.int(),
		action: z.string(),
	})
	.meta({ description: "What does not go as it should, since when, and what to do about it." });

const readySchema = z.object({
	status: z.literal("ready"),
	components: z.array(componentSchema),
	degraded: z.array(degradedSchema),
});

/** Whether the process lives, whether it may be sent requests, and its figures. */
export function operationsRoutes(options: OperationsOptions) {
	const { metrics, version, sandbox } = options;
	const ready = readiness(options);
	return new Elysia()
		.get("/healthz", async () => ({ ...(await options.health()), version, sandbox }), {
			response: { 200: healthSchema },
			detail: {
				tags,
				summary: "Whether the process is alive",
				description: "Asks neither the database nor any other server.",
			},
		})
		.get(
			"/readyz",
			async () => {
				const report = await ready();
				if (!report.ready) {
					throw httpFault.notReady({
						public: `Not ready: ${missing(report)}.`,
						members: { components: report.components },
					});
				}
				const { components, degraded } = report;
				return { status: "ready" as const, components: [...components], degraded: [...degraded] };
			},
			{
				response: { 200: readySchema },
				detail: {
					tags,
					summary: "Whether this server may be sent requests",
					description:
						"503 with the same list of components while it may not. `degraded` never makes it not " +
						"ready: it names what an operator has to look after, while everybody is served.",
				},
			},
		)
		.get(
			"/metrics",
			async () => {
				const { contentType, body } = await metrics.expose();
				return new Response(body, { headers: { "content-type": contentType } });
			},
			{ detail: { tags, summary: "Figures for Prometheus" } },
		);
}

/** Questions that come while one is being answered get its answer: checks reach the database. */
function readiness(options: OperationsOptions): () => Promise<ReadyReport> {
	let asking: Promise<ReadyReport> | undefined;
	return async () => {
		if (options.draining()) return failed({ name: "server", detail: "draining" });
		asking ??= checked(options).finally(() => {
			asking = undefined;
		});
		return asking;
	};
}

async function checked(options: OperationsOptions): Promise<ReadyReport> {
	const { promise: late, resolve } = Promise.withResolvers<ReadyReport>();
	const timer = setTimeout(
		() => resolve(failed({ name: "check", detail: "timed out" })),
		options.readyTimeoutMs ?? READY_TIMEOUT_MS,
	);
	try {
		return await Promise.race([options.ready(), late]);
	} catch (error) {
		options.log.warn("the readiness check failed", { error });
		return failed({ name: "check", detail: "failed" });
	} finally {
		clearTimeout(timer);
	}
}

function failed(component: { name: string; detail: string }): ReadyReport {
	return { ready: false, components: [{ ...component, ready: false }], degraded: [] };
}

function missing(report: ReadyReport): string {
	const names = report.components.filter(notReady).map((component) => component.name);
	return names.length === 0 ? "starting" : names.join(", ");
}

function notReady(component: ReadyComponent): boolean {
	return !component.ready;
}
