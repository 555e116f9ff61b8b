// Defines a plugin: what it needs, offers, opens, contributes and is made of.

import type { AnyElysia } from "elysia";
import type { z } from "zod";
import type { AuditBook } from "#core/audit/bookSql.ts";
import type { Chain } from "#core/chain/Chain.ts";
import type { Environment } from "#core/config/readEnvironment.ts";
import { defineFaults } from "#core/fault.ts";
import type { Degradation } from "#core/http/createHttpApp.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { AnyTool, Command, NameBook } from "#core/plugin/Tool.ts";
import type { QueueTask } from "#core/queue.ts";
import type { Job } from "#core/schedule.ts";

/** A typed place that a plugin opens for data of other plugins (venues, chains, …). */
export type ExtensionPoint<Value> = {
	readonly id: string;
	/** Never set: it only carries the type. */
	readonly phantom?: (value: Value) => Value;
};

/** Holds one value put into one point; kept as data in the contributing plugin. */
export type Contribution = { readonly pointId: string; readonly value: unknown };

/** The runtime as a command has it: everything is set up, and nothing was started. */
export type OpenedCore<N extends Needs> = {
	core: Core;
	needs: Services<N>;
	close(): Promise<void>;
};

export type CliContext = {
	/** The environment as the process got it; settings are read from it by `parseConfig`. */
	env: Environment;
	/** Returns what all loaded plugins put into a point; no plugin has been set up. */
	contributions<Value>(point: ExtensionPoint<Value>): readonly Value[];
	out(line: string): void;
	/** Writes a line that a person should see and a pipe should not. */
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
	/** Ends the display and leaves its last line. */
	end(): void;
};

/** A command that a plugin adds to `bun run svc`. */
export type CliCommand = {
	name: string;
	/** The arguments of the command as shown in the help: `decode <file.json>`. */
	usage: string;
	summary: string;
	/** Answers the exit code; throws Faults. */
	run(args: readonly string[], context: CliContext): Promise<number>;
};

export type Needs = Record<string, ServiceKey<unknown>>;

export type Services<N extends Needs> = {
	[Name in keyof N]: N[Name] extends ServiceKey<infer Service> ? Service : never;
};

/** Holds all that a plugin's `setup` can reach. */
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

/**
 * Names the profile that a request speaks for, null where it brings no credentials at all. A
 * session lasts longer for being used; `isUse: false` only asks whether it still lasts.
 */
export type CallerOf = (request: Request, options?: { isUse: boolean }) => Promise<string | null>;

/** Holds the tools, commands and names of all plugins, and who can say whose a request is. */
export type Collected = {
	tools: readonly AnyTool[];
	commands: readonly Command[];
	names: readonly NameBook[];
	callerOf: CallerOf;
};

/** Holds the parts of a plugin once it is set up. */
export type Parts<Offer> = {
	/** Required where the plugin `offers` something. */
	service?: Offer;
	routes?: AnyElysia;
	jobs?: readonly Job[];
	tasks?: readonly QueueTask[];
	/** The agent's tools of the plugin. They are built here because they need services. */
	tools?: readonly AnyTool[];
	/** The commands that people may type for these tools. */
	commands?: readonly Command[];
	/** Looks up names of what the plugin's tools and commands are about, such as collections. */
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
	 * Returns what is degraded but does not stop requests, for `/readyz`. It is called often and its
	 * answer is public: bounded, and without anything about a profile.
	 */
	degraded?(): Promise<readonly Degradation[]>;
};

/**
 * Declares a capability as data: its name, its environment variables, its needs, offers and tables.
 * The loader sorts, checks and prints all of that before any of its code runs.
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
	/** The plugin's own PostgreSQL schema; no other plugin reads it. */
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

/** The ids that some plugin of the list needs and none offers. */
export type MissingNeeds<List extends readonly AnyPlugin[]> = Exclude<
	NeedId<List[number]>,
	OfferId<List[number]>
>;

/** A typed name for what one plugin offers and others need. Carries no value at run time. */
export type ServiceKey<Service, Id extends string = string> = {
	readonly id: Id;
	/** Never set: it only carries the type. */
	readonly phantom?: () => Service;
};

type OfferId<P> = P extends { offers?: ServiceKey<unknown, infer Id> } ? Id : never;
type NeedId<P> = P extends { needs: infer N }
	? { [Name in keyof N]: N[Name] extends { id: infer Id } ? Id : never }[keyof N]
	: never;

/** Takes tables whose rows are to be tamper-evident. */
export const AuditBookPoint = extensionPoint<AuditBook>("core.audit-book");

/** Takes the definition of a chain that is not built in. */
export const ChainPoint = extensionPoint<Chain>("core.chain");

export const pluginFault = defineFaults({
	pluginsInvalid: {
		status: 500,
		retry: "never",
		public: "The plugins do not fit together.",
	},
	pluginStartFailed: {
		status: 500,
		retry: "never",
		public: "A plugin did not start.",
	},
	pluginStartDelayed: {
		status: 503,
		retry: "later",
		public: "A plugin did not start, and may at the next attempt.",
	},
	pluginTooSlow: {
		status: 503,
		retry: "later",
		public: "A plugin took too long.",
	},
});

export function extensionPoint<Value>(id: string): ExtensionPoint<Value> {
	return { id };
}

/** @example contributes: [contribute(VenuePoint, looksRareVenue)] */
export function contribute<Value>(point: ExtensionPoint<Value>, value: Value): Contribution {
	return { pointId: point.id, value };
}

/** Looks up what plugins put into points, in the order of the plugins. */
export function contributionsOf(plugins: readonly AnyPlugin[]) {
	const all = plugins.flatMap((plugin) => plugin.contributes ?? []);
	return <Value>(point: ExtensionPoint<Value>): Value[] =>
		// `contribute` checked each value's type against the point when it was written down.
		all.filter(({ pointId }) => pointId === point.id).map(({ value }) => value as Value);
}

/** Gives a plugin its types; the value is returned as it is. */
export function definePlugin<
	Config extends z.ZodObject,
	// biome-ignore lint/complexity/noBannedTypes: no needs is the empty object.
	const N extends Needs = {},
	Offer = never,
	const OfferId extends string = never,
>(plugin: Plugin<Config, N, Offer, OfferId>): Plugin<Config, N, Offer, OfferId> {
	return plugin;
}

/**
 * Declares a list of plugins. A need that no plugin in it provides is a type error that names the
 * need.
 */
export function definePlugins<const List extends readonly AnyPlugin[]>(
	list: [MissingNeeds<List>] extends [never] ? List : { missing: MissingNeeds<List> },
): readonly AnyPlugin[] {
	return list as readonly AnyPlugin[];
}

/**
 * Makes a service's key, in the offering plugin's `contract.ts`. Curried, so that the id stays a
 * literal type and a list of plugins with an unmet need does not compile.
 *
 * @example export const ScannerKey = serviceKey<Scanner>()("chain-scanner");
 */
export function serviceKey<Service>(): <const Id extends string>(
	id: Id,
) => ServiceKey<Service, Id> {
	return (id) => ({ id });
}
