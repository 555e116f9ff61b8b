// Orders plugins, sets them up, starts and stops them.

import type { AnyElysia } from "elysia";
import type { Config } from "#core/config/fields.ts";
import { assert, Fault } from "#core/fault.ts";
import type { Degradation } from "#core/http/createHttpApp.ts";
import type { Core } from "#core/plugin/Core.ts";
import {
	type AnyPlugin,
	AuditBookPoint,
	ChainPoint,
	type Collected,
	contributionsOf,
	type Parts,
	pluginFault,
} from "#core/plugin/Plugin.ts";
import type { QueueTask } from "#core/queue.ts";
import type { Job } from "#core/schedule.ts";

/** Holds how long each step of each plugin took; printed as the boot tree. */
export type BootStep = { plugin: string; needs: string[]; setupMs: number; startMs: number };

export type Host = {
	routes: readonly AnyElysia[];
	jobs: readonly Job[];
	tasks: readonly QueueTask[];
	steps: readonly BootStep[];
	/** Starts the plugins in order. Where one fails, it and those before it are stopped again. */
	start(): Promise<void>;
	/**
	 * Stops them in reverse, each told by its signal when its turn comes: until then others may
	 * still need it. A plugin that will not stop is named and left behind. Later calls wait for the
	 * first.
	 */
	stop(): Promise<void>;
	/** Returns the health of each plugin that reports one: a reason, or null for healthy. */
	health(): Promise<Map<string, string | null>>;
	/** Returns what plugins report as degraded. A plugin that cannot report is listed for that. */
	degraded(): Promise<(Degradation & { component: string })[]>;
};

export type HostOptions = {
	/** In the order of `orderPlugins`. */
	plugins: readonly AnyPlugin[];
	config: Config;
	core: Core;
	startTimeoutMs?: number;
	stopTimeoutMs?: number;
	healthTimeoutMs?: number;
};

type Member = {
	plugin: AnyPlugin;
	parts: Parts<unknown>;
	step: BootStep;
	stopping: AbortController;
};

type SetUpOptions = HostOptions & { startTimeoutMs: number };

type Stage = "setup" | "start" | "stop" | "health";

const HEALTH_UNKNOWN = "its health cannot be told";

/** Unknown is not zero. */
const NOT_KNOWN: Degradation = {
	code: "watch_failed",
	count: 1,
	oldestAgeSeconds: 0,
	action: "See the log: what the plugin watches could not be read.",
};

const nobody = async () => null;

/** The runtime's own schemas, and those that everybody can write to. */
const SCHEMAS_TAKEN = ["core", "graphile_worker", "public", "information_schema"];

/** Sets plugins up, in order. Nothing has touched the network when it returns. */
export async function createHost(options: HostOptions): Promise<Host> {
	const { startTimeoutMs = 20_000, stopTimeoutMs = 15_000, healthTimeoutMs = 3_000 } = options;
	const { log, clock } = options.core;
	const members = await setUp({ ...options, startTimeoutMs });
	const started: Member[] = [];
	let stopped: Promise<void> | null = null;

	return {
		routes: members.flatMap(({ parts }) => (parts.routes ? [parts.routes] : [])),
		jobs: members.flatMap(({ parts }) => parts.jobs ?? []),
		tasks: members.flatMap(({ parts }) => parts.tasks ?? []),
		steps: members.map(({ step }) => step),
		async start() {
			for (const member of members) {
				const beganMs = clock.nowMs();
				// The host was stopped while the last member started: no other may start.
				if (stopped) return stopped;
				started.push(member);
				const { plugin, parts, stopping } = member;
				try {
					await inTime(() => parts.start?.(stopping.signal), startTimeoutMs, "start");
				} catch (error) {
					await stop();
					throw bootFault(plugin, "start", error);
				}
				member.step.startMs = clock.nowMs() - beganMs;
			}
		},
		stop,
		async health() {
			const answers = members.map(async ({ plugin, parts }) => {
				const answer = inTime(async () => parts.health?.(), healthTimeoutMs, "health");
				return [plugin.name, (await answer.catch(() => HEALTH_UNKNOWN)) ?? null] as const;
			});
			return new Map(await Promise.all(answers));
		},
		async degraded() {
			const answers = members.map(async ({ plugin: { name: component }, parts }) => {
				try {
					const found = await inTime(async () => parts.degraded?.(), healthTimeoutMs, "health");
					return (found ?? []).map((one) => ({ component, ...one }));
				} catch (error) {
					log.warn("a plugin cannot say whether all is well", { plugin: component, error });
					return [{ component, ...NOT_KNOWN }];
				}
			});
			return (await Promise.all(answers)).flat();
		},
	};

	function stop(): Promise<void> {
		stopped ??= stopAll();
		return stopped;
	}

	async function stopAll(): Promise<void> {
		for (const { plugin, parts, stopping } of started.reverse()) {
			stopping.abort();
			try {
				await inTime(() => parts.stop?.(), stopTimeoutMs, "stop");
			} catch (error) {
				log.error("a plugin did not stop", { plugin: plugin.name, error });
			}
		}
		log.debug("plugins stopped", { count: started.length });
	}
}

/** Renders the order in which plugins came up, what each needs, and how long it took. */
export function bootTree(steps: readonly BootStep[]): string {
	const width = Math.max(...steps.map(({ plugin }) => plugin.length));
	return steps
		.map(({ plugin, needs, setupMs, startMs }, index) => {
			const branch = index === steps.length - 1 ? "└─" : "├─";
			const on = needs.length > 0 ? `  on ${needs.join(", ")}` : "";
			return `${branch} ${plugin.padEnd(width)}  ${Math.round(setupMs + startMs)} ms${on}`;
		})
		.join("\n");
}

/**
 * Sorts plugins so that each comes after those it needs, keeping the given order otherwise.
 *
 * Everything that is wrong is said in one Fault: names used twice, services offered twice, needs
 * nobody meets, circles, contributions to points that nobody opens, schemas and commands that two
 * plugins claim.
 */
export function orderPlugins(plugins: readonly AnyPlugin[]): AnyPlugin[] {
	const problems: string[] = [];
	const offers = new Map<string, AnyPlugin>();
	const names = new Set<string>();
	for (const plugin of plugins) {
		if (names.has(plugin.name)) problems.push(`two plugins are called "${plugin.name}"`);
		names.add(plugin.name);
		const id = plugin.offers?.id;
		const other = id === undefined ? undefined : offers.get(id);
		if (other) problems.push(`"${other.name}" and "${plugin.name}" both offer "${id}"`);
		if (id !== undefined && !other) offers.set(id, plugin);
	}
	problems.push(...twiceClaimed(plugins));
	const points = new Set([ChainPoint.id, AuditBookPoint.id]);
	for (const plugin of plugins) for (const { id } of plugin.opens ?? []) points.add(id);
	for (const plugin of plugins) {
		for (const id of needIds(plugin)) {
			if (!offers.has(id)) problems.push(`"${plugin.name}" needs "${id}", which nobody offers`);
		}
		for (const { pointId } of plugin.contributes ?? []) {
			if (points.has(pointId)) continue;
			problems.push(`"${plugin.name}" contributes to "${pointId}", which nobody opens`);
		}
	}
	const ordered = problems.length === 0 ? sort(plugins, offers, problems) : [];
	if (problems.length > 0) {
		throw pluginFault.pluginsInvalid({ public: `Plugins: ${problems.join("; ")}.` });
	}
	return ordered;
}

async function setUp({ plugins, config, core, startTimeoutMs }: SetUpOptions): Promise<Member[]> {
	const services = new Map<string, unknown>();
	const members: Member[] = [];
	const contributions = contributionsOf(plugins);
	let isSetUp = false;
	const collected = (): Collected => {
		assert(isSetUp, "tools and commands are asked for before every plugin is set up");
		return collectedOf(members);
	};
	for (const plugin of plugins) {
		const beganMs = core.clock.nowMs();
		const wanted: [string, { id: string }][] = Object.entries(plugin.needs ?? {});
		const needs = Object.fromEntries(wanted.map(([name, { id }]) => [name, services.get(id)]));
		const context = {
			config: config.of({ owner: plugin.name, schema: plugin.config }),
			needs,
			core: { ...core, log: core.log.with({ plugin: plugin.name }) },
			contributions,
			collected,
		};
		let parts: Parts<unknown>;
		try {
			parts = await inTime(async () => plugin.setup(context), startTimeoutMs, "setup");
			const isOffered = !plugin.offers || parts.service !== undefined;
			assert(isOffered, `its setup answers no service, and it offers "${plugin.offers?.id}"`);
		} catch (error) {
			throw bootFault(plugin, "setup", error);
		}
		if (plugin.offers) services.set(plugin.offers.id, parts.service);
		const step: BootStep = {
			plugin: plugin.name,
			needs: wanted.map(([, { id }]) => id),
			setupMs: core.clock.nowMs() - beganMs,
			startMs: 0,
		};
		members.push({ plugin, parts, step, stopping: new AbortController() });
	}
	refuseTwins(members);
	isSetUp = true;
	return members;
}

function collectedOf(members: readonly Member[]): Collected {
	return {
		tools: members.flatMap(({ parts }) => parts.tools ?? []),
		commands: members.flatMap(({ parts }) => parts.commands ?? []),
		names: members.flatMap(({ parts }) => (parts.names ? [parts.names] : [])),
		callerOf: members.find(({ parts }) => parts.callerOf)?.parts.callerOf ?? nobody,
	};
}

async function inTime<Result>(
	work: () => Promise<Result> | Result,
	timeoutMs: number,
	stage: Stage,
): Promise<Result> {
	let timer: ReturnType<typeof setTimeout> | undefined;
	const late = new Promise<never>((_, reject) => {
		const detail = `its ${stage} took longer than ${timeoutMs} ms`;
		timer = setTimeout(() => reject(pluginFault.pluginTooSlow({ detail })), timeoutMs);
	});
	try {
		return await Promise.race([work(), late]);
	} finally {
		clearTimeout(timer);
	}
}

/** Keeps the fault's own retry advice: an endpoint that is away is no error of configuration. */
function bootFault(plugin: AnyPlugin, stage: "setup" | "start", error: unknown): Fault {
	const reason =
		error instanceof Fault ? (error.privateDetail ?? error.publicDetail) : String(error);
	const words = stage === "setup" ? "was not set up" : "did not start";
	const details = { public: `The plugin "${plugin.name}" ${words}: ${reason}`, cause: error };
	return error instanceof Fault && error.retry !== "never"
		? pluginFault.pluginStartDelayed(details)
		: pluginFault.pluginStartFailed(details);
}

/**
 * Refuses members of one name. Two jobs of one name would claim each other's ticks; of two tasks,
 * tools or commands of one name only one would run.
 */
function refuseTwins(members: readonly Member[]): void {
	const owners = new Map<string, string>();
	const problems: string[] = [];
	for (const { plugin, parts } of members) {
		const jobs = (parts.jobs ?? []).map(({ name }) => `job "${name}"`);
		const tasks = (parts.tasks ?? []).map(({ name }) => `task "${name}"`);
		const tools = (parts.tools ?? []).map(({ name }) => `tool "${name}"`);
		const commands = (parts.commands ?? []).map(({ name }) => `command "${name}"`);
		const callers = parts.callerOf ? ["way to tell whose a request is"] : [];
		for (const what of [...jobs, ...tasks, ...tools, ...commands, ...callers]) {
			const other = owners.get(what);
			if (other) problems.push(`"${other}" and "${plugin.name}" both have the ${what}`);
			owners.set(what, plugin.name);
		}
	}
	if (problems.length === 0) return;
	throw pluginFault.pluginsInvalid({ public: `Plugins: ${problems.join("; ")}.` });
}

/**
 * Finds schemas and commands that two plugins claim. Two plugins in one schema would break each
 * other's tables; commands would hide each other.
 */
function twiceClaimed(plugins: readonly AnyPlugin[]): string[] {
	const problems: string[] = [];
	const owners = new Map(SCHEMAS_TAKEN.map((schema) => [`the schema "${schema}"`, "the runtime"]));
	for (const plugin of plugins) {
		const schemas = plugin.tables ? [`the schema "${plugin.tables.schema}"`] : [];
		const commands = (plugin.cli ?? []).map(({ name }) => `the command "${name}"`);
		for (const what of [...schemas, ...commands]) {
			const other = owners.get(what);
			if (other) problems.push(`${other} and "${plugin.name}" both claim ${what}`);
			owners.set(what, other ?? `"${plugin.name}"`);
		}
	}
	return problems;
}

function needIds(plugin: AnyPlugin): string[] {
	const keys: readonly { id: string }[] = Object.values(plugin.needs ?? {});
	return keys.map((key) => key.id);
}

/**
 * Sorts plugins after what they need: depth first, so a circle is met on the path that leads into
 * it and can be named.
 */
function sort(
	plugins: readonly AnyPlugin[],
	offers: ReadonlyMap<string, AnyPlugin>,
	problems: string[],
): AnyPlugin[] {
	const ordered = new Set<AnyPlugin>();
	const visit = (plugin: AnyPlugin, path: readonly AnyPlugin[]) => {
		if (ordered.has(plugin)) return;
		if (path.includes(plugin)) {
			const circle = [...path.slice(path.indexOf(plugin)), plugin].map(({ name }) => name);
			problems.push(`a circle of needs: ${circle.join(" → ")}`);
			return;
		}
		for (const id of needIds(plugin)) {
			const needed = offers.get(id);
			if (needed) visit(needed, [...path, plugin]);
		}
		ordered.add(plugin);
	};
	for (const plugin of plugins) if (problems.length === 0) visit(plugin, []);
	return [...ordered];
}
