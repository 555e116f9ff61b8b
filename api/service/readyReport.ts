import type { ReadyReport } from "#core/http/ReadyReport.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { Host } from "#core/plugin/createHost.ts";

/** Whether this process may be sent requests: its database answers, and its plugins are well. */
export async function readyReport(core: Core, host: Host): Promise<ReadyReport> {
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
	return { ready: components.every(({ ready }) => ready), components };
}
