import type { Agent } from "#agent/contract.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { AnyTool } from "#core/plugin/Tool.ts";
import type { Steps } from "#core/steps/Steps.ts";
import type { SocialConfig } from "#plugins/social/socialConfig.ts";
import type { X } from "#plugins/social/x/createX.ts";
import type { Seal } from "#plugins/social/x/seal.ts";
import type { Wallets } from "#plugins/wallets/contract.ts";

/** What a process can die between, from a delivery to what became of its reply. */
export type SocialStep =
	| "social.receive"
	| "social.ask"
	| "social.finish"
	| "social.say"
	| "social.store";

/** What the parts of the inbox are made of. */
export type InboxDeps = {
	core: Pick<Core, "db" | "clock" | "log" | "metrics">;
	config: SocialConfig;
	agent: Agent;
	wallets: Pick<Wallets, "profileOfSocial">;
	x: X;
	steps: Steps<SocialStep>;
	/** Null: without a secret what is private lies as it is while it waits. */
	seal: Seal | null;
	/** By name; there once all plugins are set up. */
	toolOf(name: string): AnyTool | null;
	ending: AbortSignal;
};

/** Tells the loop that there is something to do. */
export type Ring = () => void;
