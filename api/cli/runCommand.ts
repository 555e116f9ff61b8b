import { type AuditContext, auditCommand } from "#api/cli/auditCommand.ts";
import { cliFault } from "#api/cli/faults.ts";
import { openCore } from "#api/cli/openCore.ts";
import { openStorageOnly } from "#api/cli/openStorageOnly.ts";
import { refuseNewDataDir } from "#api/cli/refuseNewDataDir.ts";
import { refuseWithoutAuditLog } from "#api/cli/refuseWithoutAuditLog.ts";
import { wantsHelp } from "#api/cli/wantsHelp.ts";
import { loadPlugins } from "#api/service/loadPlugins.ts";
import { pluginNames, sectionsOf } from "#api/service/sectionsOf.ts";
import { parseConfig } from "#core/config/parseConfig.ts";
import type { Environment } from "#core/config/readEnvironment.ts";
import { renderConfig } from "#core/config/renderConfig.ts";
import { renderEnvExample } from "#core/config/renderEnvExample.ts";
import type { CliCommand, CliContext, Terminal } from "#core/plugin/CliCommand.ts";
import { contributionsOf } from "#core/plugin/contributionsOf.ts";
import { orderPlugins } from "#core/plugin/orderPlugins.ts";
import type { AnyPlugin } from "#core/plugin/Plugin.ts";

export type CommandContext = {
	env: Environment;
	out(line: string): void;
	note(line: string): void;
	terminal?: Terminal | null;
	/** Takes the process's signals over; without it nothing interrupts a command. */
	interrupted?(): AbortSignal;
};

/** A plugin's command takes less of the context than there is; ours may open the storage alone. */
type Command = Omit<CliCommand, "run"> & {
	run(args: readonly string[], context: CliContext & AuditContext): Promise<number>;
};

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

/** Those that are data: the runtime's, and the plugins'. */
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

function helpOf(plugins: readonly AnyPlugin[]): { usage: string; summary: string }[] {
	return [
		{ usage: "migrate", summary: "bring the database up to this build's version" },
		{ usage: "config print", summary: "print the configuration, secrets masked" },
		{ usage: "config example", summary: "print .env.example" },
		...commandsOf(plugins),
	];
}

function helpText(plugins: readonly AnyPlugin[]): string {
	const commands = helpOf(plugins);
	const width = Math.max(...commands.map(({ usage }) => usage.length));
	const lines = commands.map(({ usage, summary }) => `  ${usage.padEnd(width)}  ${summary}`);
	return `bun run svc <command>\n\n${lines.join("\n")}`;
}
