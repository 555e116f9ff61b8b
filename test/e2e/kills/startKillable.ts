import { join } from "node:path";
import type { KillableReport, KillOrder, KillPoint } from "#test/e2e/kills/KillOrder.ts";
import { WAIT_LIMIT_MS } from "#test/harness/testLimits.ts";

export type Killable = {
	url: string;
	/** Resolves to true once it killed itself, to false where something else ended it. */
	ended: Promise<boolean>;
	isAlive(): boolean;
	/** Counts edges from now on; the process dies at the point. */
	arm(point: KillPoint | null, clockOffsetMs: number): Promise<void>;
	/** Runs the jobs once; returns the edges reached since it was armed. */
	tick(clockOffsetMs: number): Promise<Record<string, number>>;
	stop(): Promise<void>;
};

const ROOT = join(import.meta.dir, "../../..");

/** Starts a service in a process of its own, which dies at the point it is told. */
export async function startKillable(entry: string, env: Record<string, string>): Promise<Killable> {
	const ready = Promise.withResolvers<string>();
	let waiting: ((reached: Record<string, number>) => void) | null = null;
	let isStopped = false;
	const child = Bun.spawn([process.execPath, entry], {
		cwd: ROOT,
		env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "/tmp", ...env },
		stdin: "ignore",
		stdout: "ignore",
		stderr: "inherit",
		ipc(report: KillableReport) {
			if (report.kind === "ready") ready.resolve(report.url);
			else waiting?.(report.reached);
		},
	});
	const killNow = () => child.kill("SIGKILL");
	process.once("exit", killNow);
	const late = setTimeout(killNow, WAIT_LIMIT_MS);
	const ended = child.exited.then(() => {
		process.off("exit", killNow);
		ready.reject(new Error("the service ended before it was up"));
		return child.signalCode === "SIGKILL" && !isStopped;
	});
	const url = await ready.promise.finally(() => clearTimeout(late));
	const order = async (what: KillOrder): Promise<Record<string, number>> => {
		const done = Promise.withResolvers<Record<string, number>>();
		waiting = done.resolve;
		child.send(what);
		const answered = await Promise.race([done.promise, ended]);
		if (typeof answered === "boolean") throw new Error("the service is gone");
		return answered;
	};
	return {
		url,
		ended,
		isAlive: () => child.exitCode === null && child.signalCode === null,
		arm: async (point, clockOffsetMs) => void (await order({ kind: "arm", point, clockOffsetMs })),
		tick: (clockOffsetMs) => order({ kind: "tick", clockOffsetMs }),
		async stop() {
			isStopped = true;
			killNow();
			await ended;
		},
	};
}
