import { z } from "zod";
import { commaList } from "#core/config/commaList.ts";
import { jsonText } from "#core/config/jsonText.ts";
import { rpcUrls } from "#core/config/rpcUrls.ts";
import { directToken } from "#plugins/bridge/direct/oft.ts";

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
