// Runs the commands of `bun run svc`, and opens what they need.

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { Client } from "pg";
import { z } from "zod";
import { type AuditContext, auditCommand } from "#api/cli/auditCommand.ts";
import { chainAccess } from "#api/service/chainAccess.ts";
import {
	openShared,
	openStorage,
	type Storage,
	type StorageOptions,
} from "#api/service/openStorage.ts";
import { loadPlugins, pluginNames, sectionsOf } from "#api/service/startService.ts";
import { auditFault, createAudit } from "#core/audit/createAudit.ts";
import { inProcessBus } from "#core/bus.ts";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import { systemClock as clock } from "#core/clock.ts";
import { parseConfig } from "#core/config/parseConfig.ts";
import type { Environment } from "#core/config/readEnvironment.ts";
import { renderConfig, renderEnvExample, secretsOf } from "#core/config/renderConfig.ts";
import { assert, defineFaults } from "#core/fault.ts";
import { openForeignFetch } from "#core/foreign/createForeignFetch.ts";
import { createLeaseKeeper } from "#core/lease.ts";
import { createLog, type LogLevel } from "#core/log.ts";
import { createMetrics } from "#core/metrics.ts";
import { createOperators } from "#core/operators.ts";
import { createOutbox } from "#core/outbox.ts";
import type { Core } from "#core/plugin/Core.ts";
import { createHost, orderPlugins } from "#core/plugin/createHost.ts";
import {
	type AnyPlugin,
	ChainPoint,
	type CliCommand,
	type CliContext,
	contributionsOf,
	definePlugin,
	type Needs,
	type OpenedCore,
	type Services,
	type Terminal,
} from "#core/plugin/Plugin.ts";
import { createJobQueue } from "#core/queue.ts";

export type CommandContext = {
	env: Environment;
	out(line: string): void;
	note(line: string): void;
	terminal?: Terminal | null;
	/** Takes the process's signals over; without it nothing interrupts a command. */
	interrupted?(): AbortSignal;
};

type Given = StorageOptions & {
	env: Environment;
	plugins: readonly AnyPlugin[];
	note(line: string): void;
	/** Throws where the embedded database must not be opened, because that would make one. */
	inspectFolder?(dataDir: string): void;
};

/** A plugin's command takes less of the context than there is; ours may open the storage alone. */
type Command = Omit<CliCommand, "run"> & {
	run(args: readonly string[], context: CliContext & AuditContext): Promise<number>;
};

export const cliFault = defineFaults({
	worldFailed: {
		status: 500,
		retry: "later",
		public: "The sandbox chain did not come up; its own words stand above.",
	},
	usage: { status: 500, retry: "never", public: "That is not a command." },
});

const LOCATION = "postgres/location";
/** Limits the worlds that are listed: a few are enough to show their place. */
const WORLDS_MAX = 5;

const CONNECT_TIMEOUT_MS = 10_000;

/** Runs one command of `bun run svc`; answers the exit code. */
export async function runCommand(
	args: readonly string[],
	context: CommandContext,
): Promise<number> {
	const [name = "help", ...rest] = args;
	const { loaded, disabled } = pluginNames(context.env);
	const plugins = orderPlugins(await loadPlugins(loaded, disabled));
	if (rest.some((arg) => arg === "--help" || arg === "-h")) {
		const known = helpOf(plugins).filter(({ usage }) => usage.split(" ", 1)[0] === name);
		for (const { usage, summary } of known) context.out(`bun run svc ${usage}\n  ${summary}`);
		if (known.length > 0) return 0;
	}
	const own = commandsOf(plugins).find((command) => command.name === name);
	if (own) {
		return own.run(rest, {
			env: context.env,
			out: context.out,
			note: context.note,
			terminal: context.terminal ?? null,
			interrupted: () => context.interrupted?.() ?? new AbortController().signal,
			contributions: contributionsOf(plugins),
			openCore: (needs) => openCore(needs, { ...context, plugins }),
			openStorage: () =>
				openStorageOnly({
					...context,
					plugins,
					inspect: refuseWithoutAuditLog,
					inspectFolder: refuseNewDataDir,
				}),
		});
	}
	if (name === "migrate") {
		wantsHelp(rest, "bun run svc migrate");
		return migrateCommand(plugins, context);
	}
	if (name === "config") return configCommand(rest, plugins, context);
	if (name === "help" || name === "--help" || name === "-h") {
		context.out(helpText(plugins));
		return 0;
	}
	throw cliFault.usage({ public: `"${name}" is not a command.\n\n${helpText(plugins)}` });
}

/**
 * Opens what the service stands on and sets the plugins up, but starts none. The command joins them
 * as a plugin of its own: so it gets what it needs as any other would.
 *
 * The log goes to `note`: stdout is the command's.
 */
export async function openCore<N extends Needs>(
	needs: N,
	given: { env: Environment; plugins: readonly AnyPlugin[]; note(line: string): void },
): Promise<OpenedCore<N>> {
	const { env, note } = given;
	let services: Services<N> | null = null;
	const command = definePlugin({
		name: "command",
		version: "1",
		config: z.object({}),
		needs,
		setup(context) {
			services = context.needs;
			return {};
		},
	});
	const plugins = orderPlugins([...given.plugins, command]);
	const sections = sectionsOf(plugins);
	const parsed = parseConfig(sections.all, env);
	const config = parsed.of(sections.core);
	const secrets = secretsOf(sections.all, env);
	const to = { write: (line: string) => note(line.trimEnd()) };
	const log = createLog({ level: quieterLevel(config.LOG_LEVEL), clock, secrets, to });
	for (const warning of parsed.warnings) note(warning);

	const chains = createChainRegistry([...builtinChains, ...contributionsOf(plugins)(ChainPoint)]);
	const metrics = createMetrics();
	let opened: Storage | null = null;
	const access = { clock, metrics, db: () => opened?.db ?? null };
	const { indexed, reached } = chainAccess(config, chains, log, access);
	const undo: (() => Promise<void>)[] = [];
	const close = async () => {
		for (const step of undo.splice(0).reverse()) await step();
	};
	try {
		const storage = await openStorage(config, plugins, log);
		undo.push(() => storage.close());
		opened = storage;
		const { db, holder, session } = storage;
		const deployment = () => createOutbox({ db, bus: inProcessBus(log), clock }).epoch();
		const redisUrl = config.REDIS_URL;
		const shared = await openShared({ redisUrl, db, deployment, clock, log, metrics });
		undo.push(() => shared.close());
		const core: Core = {
			role: config.ROLE,
			holder,
			session,
			leases: createLeaseKeeper({ db, holder, session, clock, log }),
			clock,
			log,
			db,
			bus: shared.bus,
			outbox: createOutbox({ db, bus: shared.bus, clock }),
			queue: createJobQueue(),
			pageCache: shared.pageCache,
			budget: shared.budget,
			foreignFetch: openForeignFetch(config),
			metrics,
			audit: createAudit({ clock }),
			operators: createOperators({ apiKey: config.ADMIN_API_KEY, clock, metrics }),
			chains,
			indexed,
			reached,
			observeSteps: null,
			allowedOrigins: config.WEB_ALLOWED_ORIGINS,
		};
		undo.push(() => core.leases.stop());
		await createHost({ plugins, config: parsed, core });
		assert(services !== null, "every plugin of the list is set up");
		return { core, needs: services, close };
	} catch (error) {
		await close();
		throw error;
	}
}

/**
 * Opens the configured database, brought up to date, for commands that need nothing else: they work
 * where CHAINS is not set. The log goes to `note`: stdout is the command's.
 */
export async function openStorageOnly(given: Given): Promise<Storage> {
	const { env, plugins, note, inspect, inspectFolder } = given;
	const sections = sectionsOf(plugins);
	const config = parseConfig(sections.all, env).of(sections.core);
	const to = { write: (line: string) => note(line.trimEnd()) };
	const secrets = secretsOf(sections.all, env);
	const log = createLog({ level: quieterLevel(config.LOG_LEVEL), clock, secrets, to });
	if (config.DATABASE_URL === undefined) inspectFolder?.(config.DATA_DIR);
	return openStorage(config, plugins, log, inspect ? { inspect } : {});
}

/** Returns the log level of a command, which shows its own progress: no line for each step. */
export function quieterLevel(level: LogLevel): LogLevel {
	return level === "info" ? "warn" : level;
}

/**
 * Throws where DATA_DIR has no embedded database yet, and names those of its sandbox worlds.
 *
 * Opening one there would make it, and an audit of a database that is a second old proves nothing.
 */
export function refuseNewDataDir(dataDir: string): void {
	if (existsSync(join(dataDir, LOCATION))) return;
	const sandbox = join(dataDir, "sandbox");
	const worlds = existsSync(sandbox)
		? [...new Bun.Glob(`*/${LOCATION}`).scanSync({ cwd: sandbox, dot: true })]
		: [];
	const folders = worlds.slice(0, WORLDS_MAX).map((path) => join(sandbox, path, "../.."));
	const hint = folders.map((folder) => `\nA sandbox's database is there: DATA_DIR=${folder}`);
	throw auditFault.noEntries({
		public: `There is no database in DATA_DIR (${resolve(dataDir)}), and none was made. Set DATABASE_URL or DATA_DIR to the one to check.${hint.join("")}`,
	});
}

/**
 * Throws where a database has no table of the audit log.
 *
 * An auditor who looks into the wrong database must neither take it for a proven one nor have our
 * tables made in it, so this asks before anything is migrated.
 */
export async function refuseWithoutAuditLog(
	connectionString: string,
	where: string,
): Promise<void> {
	const client = new Client({
		connectionString,
		application_name: "tapeline audit",
		connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
	});
	client.on("error", () => {});
	try {
		await client.connect();
		const { rows } = await client.query("select to_regclass('core.audit_entry') as name");
		if (rows[0]?.name !== null) return;
	} finally {
		await client.end().catch(() => {});
	}
	throw auditFault.noEntries({
		public: `There is no audit log in ${where}. It is probably the wrong database; nothing was changed in it.`,
	});
}

/**
 * Returns whether help is asked for, of a command without arguments; throws for any other argument.
 * An ignored one, `--help` above all, would start something that nobody asked for.
 */
export function wantsHelp(args: readonly string[], help: string): boolean {
	const [unknown] = args.filter((arg) => arg !== "--help" && arg !== "-h");
	if (unknown === undefined) return args.length > 0;
	throw cliFault.usage({ public: `"${unknown}" is not an argument of this command.\n\n${help}` });
}

function helpOf(plugins: readonly AnyPlugin[]): { usage: string; summary: string }[] {
	return [
		{ usage: "migrate", summary: "bring the database up to this build's version" },
		{ usage: "config print", summary: "print the configuration, secrets masked" },
		{ usage: "config example", summary: "print .env.example" },
		...commandsOf(plugins),
	];
}

/** Returns the commands that are data: the runtime's, and the plugins'. */
function commandsOf(plugins: readonly AnyPlugin[]): readonly Command[] {
	return [auditCommand, ...plugins.flatMap((plugin) => plugin.cli ?? [])];
}

async function migrateCommand(plugins: readonly AnyPlugin[], context: CommandContext) {
	const storage = await openStorageOnly({ ...context, plugins });
	context.note(`up to date: ${storage.where}`);
	await storage.close();
	return 0;
}

function configCommand(
	[what, ...rest]: readonly string[],
	plugins: readonly AnyPlugin[],
	{ env, out, note }: CommandContext,
): number {
	const sections = sectionsOf(plugins);
	if (what === "example" || what === "print") wantsHelp(rest, `bun run svc config ${what}`);
	if (what === "example") {
		out(renderEnvExample(sections.all).trimEnd());
		return 0;
	}
	if (what !== "print") {
		throw cliFault.usage({ public: "config takes `print` or `example`." });
	}
	const parsed = parseConfig(sections.all, env);
	out(renderConfig(sections.all, parsed).trimEnd());
	for (const warning of parsed.warnings) note(warning);
	return 0;
}

function helpText(plugins: readonly AnyPlugin[]): string {
	const commands = helpOf(plugins);
	const width = Math.max(...commands.map(({ usage }) => usage.length));
	const lines = commands.map(({ usage, summary }) => `  ${usage.padEnd(width)}  ${summary}`);
	return `bun run svc <command>\n\n${lines.join("\n")}`;
}
