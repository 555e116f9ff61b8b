import type { Environment } from "#core/config/readEnvironment.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { ExtensionPoint } from "#core/plugin/extensionPoint.ts";
import type { Needs, Services } from "#core/plugin/Plugin.ts";

/** The runtime as a command has it: everything is set up, and nothing was started. */
export type OpenedCore<N extends Needs> = {
	core: Core;
	needs: Services<N>;
	close(): Promise<void>;
};

export type CliContext = {
	/** The environment as the process got it; settings are read from it by `parseConfig`. */
	env: Environment;
	/** What all loaded plugins put into a point; no plugin has been set up. */
	contributions<Value>(point: ExtensionPoint<Value>): readonly Value[];
	out(line: string): void;
	/** For what a person should know and a pipe should not. */
	note(line: string): void;
	/** A line that is drawn again and again; null where the output is no terminal. */
	terminal: Terminal | null;
	/** Aborts when the command is to end. Before it is asked for, a signal ends the process. */
	interrupted(): AbortSignal;
	/**
	 * The configured storage, brought up to date, and the plugins set up on it, for commands that
	 * need them. No lane runs, no port is open: what happens is what the command calls.
	 */
	openCore<N extends Needs>(needs: N): Promise<OpenedCore<N>>;
};

export type Terminal = {
	redraw(line: string): void;
	/** Leaves the last line as it stands. */
	end(): void;
};

/** A command that a plugin adds to `bun run svc`. */
export type CliCommand = {
	name: string;
	/** Its arguments as they stand in the help: `decode <file.json>`. */
	usage: string;
	summary: string;
	/** Answers the exit code; throws Faults. */
	run(args: readonly string[], context: CliContext): Promise<number>;
};
