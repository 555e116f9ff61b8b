import { z } from "zod";
import { field } from "#core/http/openapi/field.ts";

const usd = (of: string) => field.decimal(`${of}, in US dollars.`, "10000");

const homeChainSchema = z
	.object({
		id: field.integer("EIP-155 id.", 4663),
		slug: field.text("Its name in this API.", "robinhood"),
		name: field.text("Its name for people.", "Robinhood Chain"),
	})
	.meta({ id: "HomeChain", description: "Where wallets are linked." });

const walletProviderSchema = z
	.object({ isOn: field.flag("Whether a wallet provider is configured.") })
	.meta({ id: "WalletProviderState", description: "Who can sign for people." });

/** Describes what everybody may know of how this deployment trades. */
export const settingsSchema = z
	.object({
		homeChain: homeChainSchema,
		signInChainIds: z.array(z.number().meta({ type: "integer" })).meta({
			description: "EIP-155 ids that a sign-in message may carry; the first is asked for.",
			examples: [[4663, 1]],
		}),
		walletProvider: walletProviderSchema,
		dryRun: field.flag("Whether intents stop before anything is sent."),
		perTradeUsdMax: usd("The most that one intent may move"),
		dailyUsdMax: usd("The most that a profile may move in 24 hours"),
		walletNotionalUsdMax: usd("The most that one intent may move out of a wallet"),
		settlementAssets: z.array(z.string()).meta({
			description: "Symbols of what trades are paid in.",
			examples: [["ETH", "WETH", "USDG"]],
		}),
		sessionSeconds: field.integer("A session unused for so many seconds has ended.", 2_592_000),
		nonceSeconds: field.integer("A sign-in nonce is good for so many seconds.", 600),
	})
	.meta({ id: "TradingSettings", description: "How this deployment trades." });

export type PublicSettings = z.input<typeof settingsSchema>;
