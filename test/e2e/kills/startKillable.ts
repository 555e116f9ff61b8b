// Starts a service in a process that dies at a given point.

import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { WAIT_LIMIT_MS } from "#test/harness/testLimits.ts";

export type KillableBundle = { entry: string; plugins: string[]; remove(): Promise<void> };

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

/** The point at which a process dies: before or after a step, the n-th time that it reaches it. */
export type KillPoint = { step: string; edge: "before" | "after"; nth: number };

/**
 * A message of the test to the process that it is going to kill. It also sets that process's clock.
 */
export type KillOrder = { clockOffsetMs: number } & (
	| { kind: "arm"; point: KillPoint | null }
	/** Runs the jobs of the execution path once. */
	| { kind: "tick" }
);

/**
 * A message of that process. `reached` counts the edges since it was armed, such as
 * `commit.create:before`.
 */
export type KillableReport =
	| { kind: "ready"; url: string }
	| { kind: "done"; reached: Record<string, number> };

const FOLDER = join(import.meta.dir, "../../.data");
const OURS = /\/(?:core|plugins|agent|api|test)\/(?!.*node_modules).*\.ts$/;
const BUILTIN_PLUGINS = "/api/builtinPlugins.ts";
/** Not bundled: it reads files of its own beside its code. */
const LEFT_OUT = ["graphile-worker"];

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

/**
 * Bundles the killable service into a few large files: two thirds of a start from its sources are
 * spent on finding and parsing a thousand of them, and the tests start it hundreds of times. With a
 * list of plugins (`wallets`), no other built-in one is in the bundle: reading it takes time too.
 */
export async function bundleKillable(only?: readonly string[]): Promise<KillableBundle> {
	await mkdir(FOLDER, { recursive: true });
	const outdir = await mkdtemp(join(FOLDER, "killable-"));
	const names = ["killable", "pricesStandIn", "providerStandIn", "indexStandIn"];
	const built = await Bun.build({
		entrypoints: names.map((name) => join(import.meta.dir, `${name}.ts`)),
		outdir,
		target: "bun",
		// Shared code must exist once.
		splitting: true,
		external: LEFT_OUT,
		plugins: [
			{
				name: "places",
				setup: (build) => void build.onLoad({ filter: OURS }, (file) => inPlace(file, only)),
			},
		],
	});
	if (!built.success) throw new AggregateError(built.logs, "the service cannot be bundled");
	const [entry = "", ...plugins] = names.map((name) => join(outdir, `${name}.js`));
	return { entry, plugins, remove: () => rm(outdir, { recursive: true, force: true }) };
}

/** Replaces `import.meta.dir` by the folder of the source, beside which migrations are found. */
async function inPlace({ path }: { path: string }, only?: readonly string[]) {
	const text = await Bun.file(path).text();
	const kept = only && path.endsWith(BUILTIN_PLUGINS) ? keepOnly(text, only) : text;
	const contents = kept
		.replaceAll("import.meta.dir", JSON.stringify(dirname(path)))
		.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path).href));
	return { loader: "ts" as const, contents };
}

/** Leaves out of the list of built-in plugins all others, with their imports. */
function keepOnly(text: string, only: readonly string[]): string {
	const names = [...text.matchAll(/^import \{ (\w+)Plugin \}/gm)].flatMap(([, name]) => name ?? []);
	const missing = only.filter((name) => !names.includes(name));
	if (missing.length > 0) throw new Error(`no built-in plugins: ${missing.join(", ")}`);
	const left = names.filter((name) => !only.includes(name));
	return text
		.split("\n")
		.filter((line) => !left.some((name) => new RegExp(`\\b${name}Plugin\\b`).test(line)))
		.join("\n");
}
