import type { AnyElysia } from "elysia";
import type { z } from "zod";
import type { Degradation } from "#core/http/ReadyReport.ts";
import type { CliCommand } from "#core/plugin/CliCommand.ts";
import type { Command } from "#core/plugin/Command.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { Contribution, ExtensionPoint } from "#core/plugin/extensionPoint.ts";
import type { NameBook } from "#core/plugin/NameBook.ts";
import type { ServiceKey } from "#core/plugin/serviceKey.ts";
import type { AnyTool } from "#core/plugin/Tool.ts";
import type { QueueTask } from "#core/queue/QueueTask.ts";
import type { Job } from "#core/schedule/Job.ts";

export type Needs = Record<string, ServiceKey<unknown>>;

export type Services<N extends Needs> = {
	[Name in keyof N]: N[Name] extends ServiceKey<infer Service> ? Service : never;
};

/** What a plugin's `setup` gets. Nothing else in the world is reachable from it. */
export type SetupContext<Config extends z.ZodObject, N extends Needs> = {
	config: z.output<Config>;
	needs: Services<N>;
	/** The runtime, with a log that names the plugin. */
	core: Core;
	/** Everything that plugins put into a point which this plugin opened. */
	contributions<Value>(point: ExtensionPoint<Value>): readonly Value[];
	/**
	 * Returns what all plugins can do for the agent. To be called once every plugin is set up, from
	 * `start` or later: earlier it is a mistake of ours and throws.
	 */
	collected(): Collected;
};

/** Names the profile that a request speaks for, null where it brings no credentials at all. */
export type CallerOf = (request: Request) => Promise<string | null>;

/** Holds the tools, commands and names of all plugins, and who can say whose a request is. */
export type Collected = {
	tools: readonly AnyTool[];
	commands: readonly Command[];
	names: readonly NameBook[];
	callerOf: CallerOf;
};

/** What a plugin is made of once it is set up. */
export type Parts<Offer> = {
	/** Required where the plugin `offers` something. */
	service?: Offer;
	routes?: AnyElysia;
	jobs?: readonly Job[];
	tasks?: readonly QueueTask[];
	/** What the agent can do with it. They are built here because they need services. */
	tools?: readonly AnyTool[];
	/** What people may type for these tools. */
	commands?: readonly Command[];
	/** Looks up the names of what these are about, such as collections. */
	names?: NameBook;
	/** Throws `unauthorized` (401) where the credentials are wrong. At most one plugin has it. */
	callerOf?: CallerOf;
	/** Begins to work. `signal` aborts when the plugin must end; may throw to refuse the boot. */
	start?(signal: AbortSignal): Promise<void> | void;
	/** Ends the work and waits for what is under way. */
	stop?(): Promise<void> | void;
	/** Answers what keeps it from serving, or null. */
	health?(): Promise<string | null>;
	/**
	 * Answers what does not go as it should and keeps nobody from being served, for `/readyz`. It is
	 * asked often and by anybody: bounded, and nothing of whose it is.
	 */
	degraded?(): Promise<readonly Degradation[]>;
};

/**
 * A capability as data: what it is called, reads from the environment, needs, offers, owns. The
 * loader sorts, checks and prints all of that before any of its code runs.
 */
export type Plugin<
	Config extends z.ZodObject = z.ZodObject,
	N extends Needs = Needs,
	Offer = unknown,
	OfferId extends string = string,
> = {
	name: string;
	version: string;
	/** Keys are names of environment variables, each with a `.describe()`. */
	config: Config;
	needs: N;
	offers?: ServiceKey<Offer, OfferId>;
	/** Its own PostgreSQL schema; nobody else reads it. */
	tables?: { schema: string; folder: string };
	opens?: readonly { id: string }[];
	contributes?: readonly Contribution[];
	/** Commands of `bun run svc`. No service runs; a command opens the database if it needs one. */
	cli?: readonly CliCommand[];
	/** Builds, and touches no network: a later plugin may still refuse the boot. */
	setup(context: SetupContext<Config, N>): Parts<Offer> | Promise<Parts<Offer>>;
};

// biome-ignore lint/suspicious/noExplicitAny: a list of plugins erases what each is typed by.
export type AnyPlugin = Plugin<any, any, any, any>;
