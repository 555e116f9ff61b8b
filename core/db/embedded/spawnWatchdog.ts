import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { embeddedServerFault } from "#core/db/embedded/layout.ts";
import type { WatchdogPlan, WatchdogReport } from "#core/db/embedded/watchdog.ts";

/** Waits for the watchdog's report: longer than all that the watchdog itself waits for. */
const REPORT_TIMEOUT_MS = 180_000;
const REPORT_CHARS_MAX = 100_000;

export type Watchdog = {
	/** Closes its pipe: the watchdog stops the server once it has no users. */
	letGo(): void;
	/** Resolves when the watchdog's process has ended. */
	ended: Promise<void>;
};

/**
 * Holds the watchdogs, whose pipes must stay open until this process ends: a garbage-collected
 * child would look like a dead parent.
 */
const living = new Set<ChildProcess>();

/**
 * Starts the watchdog and waits for its report; returns undefined when another one holds the lock.
 */
export async function spawnWatchdog(plan: WatchdogPlan): Promise<Watchdog | undefined> {
	const file = fileURLToPath(new URL("./watchdog.ts", import.meta.url));
	// --smol: it waits for weeks, so its memory matters and its speed does not. It reads no .env
	// file, and an empty environment keeps secrets and PG* variables out.
	const child = spawn(process.execPath, ["--smol", file, JSON.stringify(plan)], {
		cwd: "/",
		env: { LC_ALL: "C", TZ: "UTC" },
		detached: true,
		stdio: ["pipe", "pipe", "ignore"],
	});
	living.add(child);
	const ended = new Promise<void>((resolve) => {
		child.once("exit", () => {
			living.delete(child);
			resolve();
		});
	});
	child.stdin.on("error", () => {});
	const report = await firstReport(child);
	if (report.kind === "ready") {
		// A process with nothing else to do may end; the pipe ends with it.
		child.unref();
		return { letGo: () => child.stdin.end(), ended };
	}
	child.stdin.end();
	if (report.kind === "held") return undefined;
	throw embeddedServerFault.embeddedServerCommand({
		public: "The embedded PostgreSQL did not start; the log says why.",
		detail: report.detail,
	});
}

function firstReport(child: ChildProcess): Promise<WatchdogReport> {
	return new Promise((resolve) => {
		let said = "";
		const timer = setTimeout(() => {
			resolve({ kind: "failed", detail: `no report within ${REPORT_TIMEOUT_MS} ms` });
		}, REPORT_TIMEOUT_MS);
		const settle = (report: WatchdogReport) => {
			clearTimeout(timer);
			resolve(report);
		};
		child.stdout?.on("data", (chunk: unknown) => {
			if (said.length < REPORT_CHARS_MAX) said += String(chunk);
			const end = said.indexOf("\n");
			if (end >= 0) settle(JSON.parse(said.slice(0, end)));
		});
		child.on("error", (cause) => settle({ kind: "failed", detail: String(cause) }));
		child.on("close", () => settle({ kind: "failed", detail: `the watchdog ended: ${said}` }));
	});
}
