import type { Queryable } from "#core/db/Database.ts";

const DEPLOYMENT = "deployment:";

/** Returns what an account of the deployment has where others have their name at the provider. */
export function deploymentName(providerWalletId: string): string {
	return `${DEPLOYMENT}${providerWalletId}`;
}

/** Says whether a name is kept for the deployment's own accounts; no user may have such a name. */
export function isDeploymentName(providerUserId: string): boolean {
	return providerUserId.startsWith(DEPLOYMENT);
}

/** Says whether a profile is the deployment's own. */
export async function isDeploymentProfile(db: Queryable, profileId: string): Promise<boolean> {
	const rows = await db.query(
		"select 1 from wallets.profile where id = $1 and starts_with(provider_user_id, $2)",
		[profileId, DEPLOYMENT],
	);
	return rows.length > 0;
}
