import type { KillableReport, KillOrder, KillPoint } from "#test/e2e/kills/startKillable.ts";
// The whole service in a process that kills itself at the point it is told. Jobs also run only when
// they are told to, so that a test need not wait for their second.

import { startService } from "#api/service/startService.ts";
import { WAIT_LIMIT_MS } from "#test/harness/testLimits.ts";

const JOBS = new Set([
	...["wallets.reconcile", "wallets.take-up"],
	...["reveal-snipe.due-plans", "reveal-snipe.check-plans"],
	...["bridge.advance", "bridge.follow"],
]);

let offsetMs = Number(process.env["KILLABLE_CLOCK_OFFSET_MS"] ?? 0);
let point: KillPoint | null = null;
let reached: Record<string, number> = {};

const service = await startService({
	env: { ...process.env },
	time: { nowMs: () => Date.now() + offsetMs },
	async observeSteps(step, edge) {
		const name = `${step}:${edge}`;
		const times = (reached[name] ?? 0) + 1;
		reached[name] = times;
		if (point?.step !== step || point.edge !== edge || point.nth !== times) return;
		process.kill(process.pid, "SIGKILL");
		// The signal may take a moment, and nothing may happen in it.
		await new Promise(() => {});
	},
});
const jobs = service.host.jobs.filter(({ name }) => JOBS.has(name));

process.on("message", async (order: KillOrder) => {
	offsetMs = order.clockOffsetMs;
	if (order.kind === "arm") {
		point = order.point;
		reached = {};
	} else {
		for (const job of jobs) await job.run({ signal: AbortSignal.timeout(WAIT_LIMIT_MS) });
	}
	report({ kind: "done", reached });
});
// If the test is gone, the service ends too.
process.on("disconnect", () => process.exit(1));
report({ kind: "ready", url: service.url });

function report(what: KillableReport): void {
	process.send?.(what);
}
