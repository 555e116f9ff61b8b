// Reads and renders profiles, locks them, and notes their changes.

import { z } from "zod";
import type { Audit } from "#core/audit/createAudit.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";
import { assert } from "#core/fault.ts";
import { field } from "#core/http/openapi/schema.ts";
import { formatAmount, parseAmount } from "#core/money.ts";
import { USD_DECIMALS } from "#plugins/wallets/limits.ts";
import type { Profile, SpendLimits } from "#plugins/wallets/model.ts";
import { profileRows, readProfile } from "#plugins/wallets/profile/sql.ts";

/** The most that a deployment lets anybody set for themselves, in microdollars. */
export type UserLimits = Omit<SpendLimits, "recipientCooldownMs">;

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

const USD = { symbol: "USD", decimals: USD_DECIMALS };

/** Writes and reads dollars of answers and bodies: exact decimal text of microdollars. */
export const usdText = {
	of: (micros: bigint): string => formatAmount({ units: micros, currency: USD }),
	/** Throws `amount_invalid` for what is no plain decimal number of at most six decimals. */
	read: (text: string): bigint => parseAmount(text, USD).units,
};

/** "id" in ASCII, in the high bytes of the key. */
const IDENTITY_LOCK_KEY = 0x6964n << 46n;

/** Renders a profile for its owner: nothing of what the wallet provider calls them or keys. */
export function renderProfile(profile: Profile): z.input<typeof profileSchema> {
	const { socialUserId, socialUsername, canonicalWalletId } = profile;
	const usd = (micros: bigint | null) => (micros === null ? null : usdText.of(micros));
	return {
		id: profile.id,
		social: socialUserId === null ? null : { userId: socialUserId, username: socialUsername },
		canonicalWalletId,
		requireTradeConfirmation: profile.requireTradeConfirmation,
		perTradeUsdMax: usd(profile.perTradeUsdMax),
		dailyUsdMax: usd(profile.dailyUsdMax),
		wallets: profile.wallets.map((wallet) => ({
			id: wallet.id,
			address: wallet.address,
			chainId: wallet.chainId,
			capability: wallet.capability,
			isCanonical: wallet.id === canonicalWalletId,
			notionalUsdMax: usd(wallet.notionalUsdMax),
		})),
	};
}

/**
 * Lets one transaction at a time link identities: a social account, a user of the wallet provider
 * and an address belong to one profile each, and each check must see what the other one wrote. Held
 * for a few statements; sign-ins are rare.
 */
export async function lockIdentity(tx: Tx): Promise<void> {
	await tx.execute("select pg_advisory_xact_lock($1)", [IDENTITY_LOCK_KEY]);
}

/**
 * Ends a change of a profile by its owner: raises its revision, writes down what was changed, and
 * returns it as it now is.
 */
export async function noteChange(
	tx: Tx,
	audit: Audit,
	change: {
		profileId: string;
		action: string;
		/** A wallet of it; left out: the profile itself. */
		walletId?: string;
		detail: Record<string, unknown>;
	},
): Promise<Profile> {
	const { profileId, action, walletId, detail } = change;
	const actor = `profile:${profileId}`;
	const subject = walletId === undefined ? actor : `wallet:${walletId}`;
	await profileRows.touch(tx, profileId);
	await audit.append(tx, { actor, action, subject, detail });
	return requireProfile(tx, profileId);
}

/** Reads a profile whose id we hold from the database: there is no way to delete one. */
export async function requireProfile(db: Queryable, id: string): Promise<Profile> {
	const profile = await readProfile(db, { id });
	assert(profile, "a profile is never deleted");
	return profile;
}
