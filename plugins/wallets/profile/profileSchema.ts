import { z } from "zod";

const usd = z
	.string()
	.nullable()
	.meta({ description: "US dollars as decimal text; null: the deployment's.", examples: ["250"] });

/** A profile in answers. */
export const profileSchema = z.object({
	id: z.string(),
	social: z
		.object({ userId: z.string(), username: z.string().nullable() })
		.nullable()
		.meta({ description: "The linked account of the social platform, as the provider proved it." }),
	canonicalWalletId: z
		.string()
		.nullable()
		.meta({ description: "The wallet that commands without a wallet's name act on." }),
	requireTradeConfirmation: z.boolean(),
	perTradeUsdMax: usd,
	dailyUsdMax: usd,
	wallets: z.array(
		z.object({
			id: z.string(),
			address: z.string(),
			chainId: z.number(),
			capability: z
				.enum([
					"external/manual",
					"embedded/manual",
					"embedded/delegated",
					"review-required",
					"disabled",
				])
				.meta({ description: "The service sends by itself for embedded/delegated alone." }),
			isCanonical: z.boolean(),
			notionalUsdMax: usd,
		}),
	),
});
