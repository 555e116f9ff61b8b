import type { Agent } from "#agent/contract.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { AnyTool } from "#core/plugin/Tool.ts";
import type { Steps } from "#core/steps.ts";
import type { SocialConfig } from "#plugins/social/limits.ts";
import type { X } from "#plugins/social/x/createX.ts";
import type { Written } from "#plugins/social/x/readActivity.ts";
import type { Seal } from "#plugins/social/x/userTokens.ts";
import type { Wallets } from "#plugins/wallets/contract.ts";

/** The steps from a delivery to its reply; tests kill the process before and after each. */
export type SocialStep =
	| "social.receive"
	| "social.ask"
	| "social.finish"
	| "social.render"
	| "social.say"
	| "social.store"
	| "social.tell";

/** Holds what all parts of the inbox need. */
export type InboxDeps = {
	core: Pick<Core, "db" | "clock" | "log" | "metrics">;
	config: SocialConfig;
	agent: Agent;
	wallets: Pick<Wallets, "profileOfSocial">;
	x: X;
	steps: Steps<SocialStep>;
	/** Null without a secret: waiting private texts are then stored unencrypted. */
	seal: Seal | null;
	/** Returns a tool by name; available after all plugins are set up. */
	toolOf(name: string): AnyTool | null;
	ending: AbortSignal;
};

/** Wakes the loop because there is new work. */
export type Ring = () => void;

/**
 * Stores texts that X delivered, by webhook or by polling; returns how many are new. `unread`: how
 * many came beside them of which not even the id can be read; they are counted.
 */
export type Receive = (written: readonly Written[], unread?: number) => Promise<number>;

export type Inbox = {
	receive: Receive;
	/** Starts the loops, in every process; the database decides who does what. */
	start(): void;
	/** Waits for running work, after the signal of `deps` aborted. */
	ended(): Promise<void>;
};
