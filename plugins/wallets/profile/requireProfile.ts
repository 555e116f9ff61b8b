import type { Queryable } from "#core/db/Database.ts";
import { assert } from "#core/fault/assert.ts";
import type { Profile } from "#plugins/wallets/contract.ts";
import { readProfile } from "#plugins/wallets/profile/sql/readProfile.ts";

/** A profile whose id we hold from the database: there is no way to delete one. */
export async function requireProfile(db: Queryable, id: string): Promise<Profile> {
	const profile = await readProfile(db, { id });
	assert(profile, "a profile is never deleted");
	return profile;
}
