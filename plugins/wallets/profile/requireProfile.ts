import type { Audit } from "#core/audit/Audit.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";
import { assert } from "#core/fault/assert.ts";
import type { Profile } from "#plugins/wallets/contract.ts";
import { profileRows } from "#plugins/wallets/profile/sql/profileRows.ts";
import { readProfile } from "#plugins/wallets/profile/sql/readProfile.ts";

/** "id" in ASCII, in the high bytes of the key. */
const IDENTITY_LOCK_KEY = 0x6964n << 46n;

/** Reads a profile whose id we hold from the database: there is no way to delete one. */
export async function requireProfile(db: Queryable, id: string): Promise<Profile> {
	const profile = await readProfile(db, { id });
	assert(profile, "a profile is never deleted");
	return profile;
}

/**
 * Lets one transaction at a time say who somebody is: a social account, a user of the wallet
 * provider and an address belong to one profile each, and whoever checks must see what the other
 * did. Held for a few statements; signing in is rare beside everything else.
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
