import type { Core } from "#core/plugin/Core.ts";
import type { Steps } from "#core/steps/Steps.ts";
import type { BridgeStepName } from "#plugins/bridge/bridgeSteps.ts";
import type { DirectToken } from "#plugins/bridge/direct/oft.ts";
import type { ChainReaders } from "#plugins/bridge/reconcile/chainReaders.ts";
import type { Directory } from "#plugins/bridge/relay/createDirectory.ts";
import type { Relay } from "#plugins/bridge/relay/Relay.ts";
import type { Prices } from "#plugins/prices/contract.ts";
import type { Wallets } from "#plugins/wallets/contract.ts";

/** What everything about bridges is made of. */
export type BridgeContext = {
	steps: Steps<BridgeStepName>;
	core: Pick<
		Core,
		"db" | "clock" | "log" | "metrics" | "chains" | "reached" | "audit" | "operators" | "role"
	>;
	wallets: Wallets;
	prices: Pick<Prices, "usdRate" | "toUsd">;
	relay: Relay;
	directory: Directory;
	readers: ChainReaders;
	settings: {
		isOn: boolean;
		/** By social posts and messages too. */
		isSocialOn: boolean;
		isDryRun: boolean;
		/** Tokens that are moved by a signature are, for wallets that sign here. */
		usesPermits: boolean;
		/** Tokens that cross by themselves. */
		directTokens: readonly DirectToken[];
		deniedChainIds: ReadonlySet<number>;
		timeoutMs: number;
	};
	/** Returns a name that nothing else has. */
	newId(): string;
	/** Tells operators of money that is not where it was said to be. */
	alarm(reason: string, bridgeId: string): void;
	/** Aborts when the service ends. */
	ending: AbortSignal;
};
