// Declares what all of bridging needs, its environment variables and the names of its steps.

import { z } from "zod";
import { commaList, jsonText, rpcUrls } from "#core/config/fields.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { Steps } from "#core/steps.ts";
import { type DirectToken, directToken } from "#plugins/bridge/direct/oft.ts";
import type { Directory } from "#plugins/bridge/relay/createRelay.ts";
import type { Relay } from "#plugins/bridge/relay/Relay.ts";
import type { Prices } from "#plugins/prices/contract.ts";
import type { Wallets } from "#plugins/wallets/contract.ts";

/** Asks a node of one chain. Throws where it does not answer. */
export type ChainReader = (
	method: string,
	params: readonly unknown[],
	signal: AbortSignal,
) => Promise<unknown>;

export type ChainReaders = {
	/** Returns what asks this deployment's nodes of a chain; null: it has none. */
	own(chainId: number): ChainReader | null;
	/** Returns the same, else what asks the provider's public node; null where there is neither. */
	of(chainId: number, publicUrl: string | null): ChainReader | null;
};

/** Holds what all functions about bridges need: services, settings, clocks and nodes. */
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
		/** True: bridges are allowed by social posts and messages too. */
		isSocialOn: boolean;
		isDryRun: boolean;
		/** Tokens that are moved by a signature are, for wallets that sign here. */
		usesPermits: boolean;
		/** Tokens that cross by their own LayerZero contracts. */
		directTokens: readonly DirectToken[];
		deniedChainIds: ReadonlySet<number>;
		timeoutMs: number;
	};
	/** Returns a new unique id. */
	newId(): string;
	/** Alerts operators of a bridge, or a chain, that needs one of them. */
	alarm(reason: string, about: string): void;
	/** Aborts when the service ends. */
	ending: AbortSignal;
};

/** Variables of the environment that are about bridging. */
export const bridgeConfig = {
	BRIDGE_BASE_URL: z
		.url({ protocol: /^https?$/ })
		.optional()
		.meta({ expects: "an http or https URL" })
		.describe(
			"Where the bridge provider (Relay) is. Unset: https://api.relay.link where bridging is on.",
		),
	BRIDGE_API_KEY: z
		.string()
		.regex(/^[\x21-\x7e]{1,512}$/)
		.optional()
		.meta({ secret: true, expects: "a key without blanks" })
		.describe(
			"The bridge provider's key: sent to BRIDGE_BASE_URL only, and what its webhooks are signed " +
				"with. Unset: the provider's limits without a key, and no webhooks.",
		),
	ENABLE_BRIDGING: z
		.boolean()
		.default(false)
		.describe(
			"Whether bridges are made. False: no further step is sent; what was sent is followed.",
		),
	ENABLE_SOCIAL_BRIDGING: z
		.boolean()
		.default(false)
		.describe("Whether social posts and messages bridge too, where bridges are made."),
	BRIDGE_DRY_RUN: z
		.boolean()
		.default(true)
		.describe("Bridges are quoted and checked, and nothing is sent."),
	BRIDGE_USE_PERMITS: z
		.boolean()
		.default(true)
		.describe(
			"Whether a delegated wallet signs for tokens that the bridge provider moves by a signature " +
				"(EIP-3009), in place of an allowance and a deposit: it needs no coin for gas then.",
		),
	BRIDGE_DIRECT_JSON: jsonText(z.array(directToken).max(100))
		.default([])
		.meta({ expects: 'such as [{"symbol":"USDT0","ends":{"988":{"eid":30396,"oft":"0x…"}}}]' })
		.describe(
			"Tokens that cross by LayerZero itself (mode `direct`): for each its OFT contracts by chain id, " +
				"with LayerZero's number of that chain. Both ends of a route must name each other on chain.",
		),
	BRIDGE_DENIED_CHAIN_IDS: commaList(z.string().regex(/^[1-9][0-9]{0,15}$/))
		.default([])
		.meta({ expects: "chain ids, separated by commas" })
		.describe("Chains that nothing is bridged from or to, whatever operators set."),
	BRIDGE_STATUS_TIMEOUT_MINUTES: z
		.int()
		.min(5)
		.max(10_080)
		.default(60)
		.describe("How long after its deposit a bridge without an end is called timed out."),
	BRIDGE_RPC_URLS_JSON: jsonText(z.record(z.string().regex(/^[1-9][0-9]{0,15}$/), rpcUrls))
		.default({})
		.meta({ secret: true, expects: 'such as {"988":["https://rpc.example"]}' })
		.describe(
			"Nodes of chains that bridges arrive on, by chain id; they are for reading only, and never " +
				"told. Chains that are not here and not reached are read by the provider's public nodes.",
		),
};

/**
 * Every commit and every outbound call by which a bridge gets further, beside those of the intents
 * that its steps are. A test ends processes before and after each.
 */
export const bridgeSteps = [
	/** The provider is asked for a quote. */
	"bridge.quote",
	/** A checked quote is stored, with its steps. */
	"bridge.store",
	/** The deposit's intent is recorded. */
	"bridge.begin",
	/** The bridge is refused, or cancelled. */
	"bridge.close",
	/** The state of the deposit's intent is stored with the bridge. */
	"bridge.sync",
	/** The provider is asked what became of it. */
	"bridge.status",
	/** The findings about a bridge's money are recorded. */
	"bridge.look",
] as const;

/** The steps of a bridge whose owner signs in place of depositing. */
export const handOverSteps = [
	/** Records that a signature goes to the provider now. */
	"bridge.hand_over",
	/** The provider gets it. */
	"bridge.permit",
	/** Stores the provider's answer. */
	"bridge.handed",
] as const;

export type BridgeStepName = (typeof bridgeSteps)[number] | (typeof handOverSteps)[number];

/** Outbound calls of the kind that deposits. */
export const depositSteps = ["bridge.quote", "bridge.allowance"] as const;

/** Outbound calls of the kind that signs in place of a deposit. */
export const authorizeSteps = ["bridge.quote", "bridge.token"] as const;
