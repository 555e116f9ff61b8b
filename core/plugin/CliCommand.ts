import type { ExtensionPoint } from "#core/plugin/extensionPoint.ts";

export type CliContext = {
	/** What all loaded plugins put into a point; no plugin has been set up. */
	contributions<Value>(point: ExtensionPoint<Value>): readonly Value[];
	out(line: string): void;
	/** For what a person should know and a pipe should not. */
	note(line: string): void;
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
