import { z } from "zod";
import { field } from "#core/http/openapi/field.ts";

const usd = (of: string) =>
	field.decimal(`${of}, in US dollars; null: the deployment's.`, "250").nullable();

const socialSchema = z
	.object({
		userId: field.text("The platform's id of the account.", "1234567890"),
		username: field.text("Its handle, which may change; null where unknown.", "ada").nullable(),
	})
	.meta({ id: "SocialAccount", description: "An account of the social platform." });

const walletSchema = z
	.object({
		id: field.text("Names the wallet here.", "0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69"),
		address: field.addressText("Its address."),
		chainId: field.integer("EIP-155 id of the chain where it was linked.", 4663),
		capability: z
			.enum([
				"external/manual",
				"embedded/manual",
				"embedded/delegated",
				"review-required",
				"disabled",
			])
			.meta({ description: "The service sends by itself for embedded/delegated alone." }),
		isCanonical: field.flag("Whether commands without a wallet's name act on it."),
		notionalUsdMax: usd("The most that one intent may move out of it"),
	})
	.meta({ id: "Wallet", description: "A wallet that is linked to a profile." });

/** Describes a profile in answers. */
export const profileSchema = z
	.object({
		id: field.id("Names the profile."),
		social: socialSchema.nullable().meta({
			description: "The linked account of the social platform, as the provider proved it.",
		}),
		canonicalWalletId: field
			.text(
				"The wallet that commands without a wallet's name act on.",
				"0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69",
			)
			.nullable(),
		requireTradeConfirmation: field.flag("Whether each intent waits for a yes by a one-time link."),
		perTradeUsdMax: usd("The most that one intent may move"),
		dailyUsdMax: usd("The most that may be moved in 24 hours"),
		wallets: z.array(walletSchema).meta({ description: "Linked wallets." }),
	})
	.meta({ id: "Profile", description: "Who is signed in: wallets and limits." });
