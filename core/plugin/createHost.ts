import type { AnyElysia } from "elysia";
import type { Config } from "#core/config/parseConfig.ts";
import { Fault } from "#core/fault/Fault.ts";
import type { Core } from "#core/plugin/Core.ts";
import { contributionsOf } from "#core/plugin/contributionsOf.ts";
import { pluginFault } from "#core/plugin/faults.ts";
import type { AnyPlugin, Parts } from "#core/plugin/Plugin.ts";
import type { QueueTask } from "#core/queue/QueueTask.ts";
import type { Job } from "#core/schedule/Job.ts";

/** How long each step of each plugin took; printed as the boot tree. */
export type BootStep = { plugin: string; needs: string[]; setupMs: number; startMs: number };

export type Host = {
	routes: readonly AnyElysia[];
	jobs: readonly Job[];
	tasks: readonly QueueTask[];
	steps: readonly BootStep[];
	/** Starts the plugins in order. Where one fails, those already started are stopped again. */
	start(): Promise<void>;
	/** Stops them in reverse. A plugin that will not stop is named and left behind. */
	stop(): Promise<void>;
	/** What each plugin that has a word to say about it answers: null is well. */
	health(): Promise<Map<string, string | null>>;
};

export type HostOptions = {
	/** In the order of `orderPlugins`. */
	plugins: readonly AnyPlugin[];
	config: Config;
	core: Core;
	startTimeoutMs?: number;
	stopTimeoutMs?: number;
};

type Member = { plugin: AnyPlugin; parts: Parts<unknown>; step: BootStep };

/** Sets plugins up, in order. Nothing has touched the network when it returns. */
export async function createHost(options: HostOptions): Promise<Host> {
	const { plugins, startTimeoutMs = 20_000, stopTimeoutMs = 15_000 } = options;
	const { log, clock } = options.core;
	const members = await setUp(options);
	const started: Member[] = [];
	const stopping = new AbortController();

	return {
		routes: members.flatMap(({ parts }) => (parts.routes ? [parts.routes] : [])),
		jobs: members.flatMap(({ parts }) => parts.jobs ?? []),
		tasks: members.flatMap(({ parts }) => parts.tasks ?? []),
		steps: members.map(({ step }) => step),
		async start() {
			for (const member of members) {
				const beganMs = clock.nowMs();
				started.push(member);
				try {
					await inTime(member.parts.start?.(stopping.signal), startTimeoutMs, "start");
				} catch (error) {
					await stopAll();
					throw startFault(member.plugin, error);
				}
				member.step.startMs = clock.nowMs() - beganMs;
			}
		},
		stop: stopAll,
		async health() {
			const answers = members.map(async ({ plugin, parts }) => {
				const trouble = await parts.health?.().catch(() => "its health cannot be told");
				return [plugin.name, trouble ?? null] as const;
			});
			return new Map(await Promise.all(answers));
		},
	};

	async function stopAll(): Promise<void> {
		stopping.abort();
		for (const { plugin, parts } of started.splice(0).reverse()) {
			try {
				await inTime(parts.stop?.(), stopTimeoutMs, "stop");
			} catch (error) {
				log.error("a plugin did not stop", { plugin: plugin.name, error });
			}
		}
		log.debug("plugins stopped", { count: plugins.length });
	}
}

async function setUp({ plugins, config, core }: HostOptions): Promise<Member[]> {
	const services = new Map<string, unknown>();
	const members: Member[] = [];
	const contributions = contributionsOf(plugins);
	for (const plugin of plugins) {
		const beganMs = core.clock.nowMs();
		const wanted: [string, { id: string }][] = Object.entries(plugin.needs ?? {});
		const needs = Object.fromEntries(wanted.map(([name, { id }]) => [name, services.get(id)]));
		const parts: Parts<unknown> = await plugin.setup({
			config: config.of({ owner: plugin.name, schema: plugin.config }),
			needs,
			core: { ...core, log: core.log.with({ plugin: plugin.name }) },
			contributions,
		});
		if (plugin.offers) services.set(plugin.offers.id, parts.service);
		const step: BootStep = {
			plugin: plugin.name,
			needs: wanted.map(([, { id }]) => id),
			setupMs: core.clock.nowMs() - beganMs,
			startMs: 0,
		};
		members.push({ plugin, parts, step });
	}
	return members;
}

async function inTime(
	work: Promise<void> | void,
	timeoutMs: number,
	what: "start" | "stop",
): Promise<void> {
	let timer: ReturnType<typeof setTimeout> | undefined;
	const late = new Promise<never>((_, reject) => {
		const detail = `its ${what} took longer than ${timeoutMs} ms`;
		timer = setTimeout(() => reject(pluginFault.pluginStartFailed({ detail })), timeoutMs);
	});
	try {
		await Promise.race([work, late]);
	} finally {
		clearTimeout(timer);
	}
}

function startFault(plugin: AnyPlugin, error: unknown): Fault {
	const reason = error instanceof Fault ? (error.privateDetail ?? error.publicDetail) : String(error);
	return pluginFault.pluginStartFailed({
		public: `The plugin "${plugin.name}" did not start: ${reason}`,
		cause: error,
	});
}
