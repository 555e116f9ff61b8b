import type { AuditWatch } from "#core/audit/watch/createAuditWatch.ts";
import type { ReadyReport } from "#core/http/ReadyReport.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { Host } from "#core/plugin/createHost.ts";

/**
 * Whether this process may be sent requests: its database answers, and its plugins are well. What
 * does not go as it should is named beside that, and makes nothing unready. Without its database
 * nobody is asked for it.
 */
export async function readyReport(
	core: Core,
	host: Host,
	audit: Pick<AuditWatch, "degraded">,
): Promise<ReadyReport> {
	const database = await core.db.query("select 1").then(
		() => ({ name: "database", ready: true }),
		() => ({ name: "database", ready: false, detail: "does not answer" }),
	);
	const components = [database];
	for (const [name, trouble] of await host.health()) {
		components.push(
			trouble === null ? { name, ready: true } : { name, ready: false, detail: trouble },
		);
	}
	const ready = components.every((component) => component.ready);
	return { ready, components, degraded: ready ? await degradedOf(host, audit) : [] };
}

async function degradedOf(
	host: Host,
	audit: Pick<AuditWatch, "degraded">,
): Promise<ReadyReport["degraded"]> {
	const [ofCore, ofPlugins] = await Promise.all([audit.degraded(), host.degraded()]);
	return [...ofCore.map((one) => ({ component: "core", ...one })), ...ofPlugins];
}
