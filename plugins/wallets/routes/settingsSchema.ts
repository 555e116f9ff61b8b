import { z } from "zod";

const usd = z.string().meta({ description: "US dollars as decimal text.", examples: ["10000"] });

/** What everybody may know of how this deployment trades. */
export const settingsSchema = z.object({
	homeChain: z
		.object({ id: z.number(), slug: z.string(), name: z.string() })
		.meta({ description: "Where wallets are linked." }),
	signInChainIds: z
		.array(z.number())
		.meta({ description: "Chain ids that a sign-in message may carry; the first is asked for." }),
	walletProvider: z.object({ isOn: z.boolean() }),
	dryRun: z.boolean().meta({ description: "Whether intents stop before anything is sent." }),
	perTradeUsdMax: usd,
	dailyUsdMax: usd,
	walletNotionalUsdMax: usd,
	settlementAssets: z.array(z.string()),
	sessionSeconds: z.number().meta({ description: "A session unused for so long has ended." }),
	nonceSeconds: z.number(),
});

export type PublicSettings = z.input<typeof settingsSchema>;
