import { Elysia } from "elysia";
import { z } from "zod";
import { canFail } from "#core/http/canFail.ts";
import type { HealthReport } from "#core/http/HealthReport.ts";
import { httpFault } from "#core/http/httpFault.ts";
import { field } from "#core/http/openapi/field.ts";
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

/** Longer than any healthy check, shorter than the time-out of probes. */
const READY_TIMEOUT_MS = 5_000;

const tags = ["operations"];

const componentSchema = z
	.object({
		name: field.text("Which part.", "database"),
		ready: field.flag("Whether it works."),
		detail: field.text("Its state in a word or two.", "migrated").optional(),
	})
	.meta({ id: "ReadyComponent", description: "A part that this process needs." });

const healthSchema = z
	.looseObject({
		status: z.literal("ok").meta({ description: "The process is alive." }),
		version: field.text("The service's version.", "0.1.0"),
		sandbox: field.flag("Whether it runs in a sandbox, where nothing is real money."),
	})
	.meta({ id: "Health", description: "What a live process says of itself." });

const degradedSchema = z
	.object({
		component: field.text("Which part says so.", "wallets"),
		code: field.text("What it is. Stable.", "intents_waiting"),
		count: z.int().meta({ description: "How many there are.", examples: [2] }),
		oldestAgeSeconds: z
			.int()
			.meta({ description: "Since how many seconds the oldest is there.", examples: [95] }),
		action: field.text("What an operator does about it.", "Look at the waiting intents."),
	})
	.meta({
		id: "Degradation",
		description: "What does not go as it should, since when, and what to do about it.",
	});

const readySchema = z
	.object({
		status: z.literal("ready").meta({ description: "Requests are answered." }),
		components: z.array(componentSchema).meta({ description: "What this process needs." }),
		degraded: z.array(degradedSchema).meta({ description: "Empty where nothing is wrong." }),
	})
	.meta({ id: "Readiness", description: "A process that may be sent requests." });

const metricsSchema = z.string().meta({
	description: "Prometheus' text format.",
	examples: ["# TYPE http_requests_in_flight gauge\nhttp_requests_in_flight 0\n"],
});

/** Returns the routes of liveness, readiness and metrics. */
export function operationsRoutes(options: OperationsOptions) {
	const { metrics, version, sandbox } = options;
	const ready = readiness(options);
	return new Elysia()
		.get("/healthz", async () => ({ ...(await options.health()), version, sandbox }), {
			response: { 200: healthSchema },
			detail: {
				operationId: "getHealth",
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
					...canFail(httpFault.notReady),
					operationId: "getReadiness",
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
			{
				response: { 200: metricsSchema },
				detail: {
					operationId: "getMetrics",
					tags,
					summary: "Figures for Prometheus",
					description: "What the process counted and measured since it began.",
				},
			},
		);
}

/**
 * Makes the readiness check; requests that come during one share it, because checks query the
 * database.
 */
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
