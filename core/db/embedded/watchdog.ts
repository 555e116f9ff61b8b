import { rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { guardServer, takeLifeLock } from "#core/db/embedded/guardServer.ts";
import { launchServer, type ServerPlan } from "#core/db/embedded/launchServer.ts";
import { findPostmaster } from "#core/db/embedded/server.ts";
import { Fault } from "#core/fault.ts";

export type WatchdogPlan = {
	server: ServerPlan;
	/** `adopt`: the server runs already, and lost its watchdog. */
	how: "launch" | "adopt";
	decisionLock: string;
	lifeLock: string;
	holderFile: string;
};

/** Holds what the watchdog reports to its parent, once, as one line of JSON. */
export type WatchdogReport =
	| { kind: "ready" }
	| { kind: "held" }
	| { kind: "failed"; detail: string };

/**
 * Runs as its own process, which outlives the one that started it: launches the server, holds its
 * lock as long as it runs, and stops it when its parent is gone and it has no other users.
 */
async function watchdog(plan: WatchdogPlan): Promise<void> {
	// Signals that end the service (Ctrl-C, a supervisor's SIGTERM to the group) must not end its
	// server before the service has drained.
	for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGPIPE"] as const) {
		process.on(signal, () => {});
	}
	let isParentGone = false;
	const parentGone = endOf(process.stdin).then(() => {
		isParentGone = true;
	});
	const { lifeLock, holderFile } = plan;
	const lock = await takeLifeLock({ lifeLock, holderFile, cluster: plan.server.cluster });
	if (!lock) return report({ kind: "held" });
	try {
		writeFileSync(plan.holderFile, `process ${process.pid} on host ${hostname()}`);
		// A server launched now would have no user, and would keep the lock from the next start.
		if (isParentGone && plan.how === "launch") return;
		if (plan.how === "launch" || findPostmaster(plan.server.cluster) === undefined) {
			await launchServer(plan.server);
		}
		report({ kind: "ready" });
		await guardServer({ plan: plan.server, decisionLock: plan.decisionLock, parentGone });
	} catch (cause) {
		const detail =
			cause instanceof Fault ? (cause.privateDetail ?? cause.publicDetail) : String(cause);
		report({ kind: "failed", detail });
	} finally {
		rmSync(plan.holderFile, { force: true });
		lock.release();
	}
}

function report(line: WatchdogReport): void {
	process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** Resolves when the parent ends, because its pipe closes then. */
function endOf(stream: NodeJS.ReadStream): Promise<void> {
	return new Promise((resolve) => {
		for (const event of ["end", "close", "error"] as const) stream.once(event, () => resolve());
		stream.resume();
	});
}

// The parent may be gone by the time of the report.
process.stdout.on("error", () => {});
const plan: WatchdogPlan = JSON.parse(process.argv[2] ?? "{}");
await watchdog(plan);
process.exit(0);
