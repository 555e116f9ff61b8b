import type { Audit } from "#core/audit/Audit.ts";
import type { Clock } from "#core/clock/Clock.ts";
import type { Database, Tx } from "#core/db/Database.ts";
import { defineFaults } from "#core/fault/defineFaults.ts";
import type { Custody, CustodyWallet } from "#plugins/custody/contract.ts";
import type { Profile } from "#plugins/wallets/contract.ts";
import { capabilityOf } from "#plugins/wallets/enrolment/capabilityOf.ts";
import { deploymentName } from "#plugins/wallets/profile/deploymentName.ts";
import { lockIdentity, requireProfile } from "#plugins/wallets/profile/requireProfile.ts";
import { profileRows } from "#plugins/wallets/profile/sql/profileRows.ts";
import { readProfile } from "#plugins/wallets/profile/sql/readProfile.ts";
import { walletRows } from "#plugins/wallets/profile/sql/walletRows.ts";

const deploymentFault = defineFaults({
	deploymentWalletUnusable: {
		status: 503,
		retry: "later",
		public:
			"The deployment's wallet cannot be used: the wallet provider does not let us sign for it.",
		advice: "Name a wallet of this application whose signer is its authorization key.",
	},
	deploymentWalletTaken: {
		status: 409,
		retry: "never",
		public: "The deployment's wallet belongs to somebody's profile.",
		advice: "Name a wallet that nobody linked.",
	},
});

type DeploymentDeps = {
	db: Database;
	clock: Clock;
	audit: Audit;
	custody: Custody;
	newId: () => string;
	homeChainId: number;
};

/**
 * Returns what reads the profile of a wallet that the deployment itself acts with, and makes it at
 * the first call. Each call asks the wallet provider whether we may still sign for it.
 *
 * Nobody signs in to such a profile: no user of the provider's has its name, and a signature of its
 * address opens no session.
 */
export function createDeployment(deps: DeploymentDeps) {
	return async (wanted: { providerWalletId: string; signal: AbortSignal }): Promise<Profile> => {
		const { providerWalletId, signal } = wanted;
		const held = await deps.custody.wallet(providerWalletId, signal);
		const isUsable =
			held !== null && capabilityOf(accountOf(held, providerWalletId), held) === USABLE;
		if (!isUsable) throw deploymentFault.deploymentWalletUnusable();
		const key = { providerUserId: deploymentName(providerWalletId) };
		const profile =
			(await readProfile(deps.db, key)) ??
			(await deps.db.transaction((tx) => insertOnce(tx, { held, key, deps })));
		const [wallet] = profile.wallets;
		const isTheOne = wallet?.address === held.address && wallet.capability === USABLE;
		if (!isTheOne) throw deploymentFault.deploymentWalletUnusable();
		return profile;
	};
}

const USABLE = "embedded/delegated";

const accountOf = ({ address }: CustodyWallet, providerWalletId: string) => {
	return { type: "wallet", address, providerWalletId } as const;
};

async function insertOnce(
	tx: Tx,
	given: { held: CustodyWallet; key: { providerUserId: string }; deps: DeploymentDeps },
): Promise<Profile> {
	const { held, key, deps } = given;
	await lockIdentity(tx);
	// Read again under the lock: another process may have written it meanwhile.
	const known = await readProfile(tx, key);
	if (known) return known;
	const { address, id: providerWalletId } = held;
	const holders = await walletRows.holdersOf(tx, {
		addresses: [address],
		providerWalletIds: [providerWalletId],
	});
	if (holders.length > 0) throw deploymentFault.deploymentWalletTaken();
	const now = new Date(deps.clock.nowMs());
	const id = deps.newId();
	const walletId = deps.newId();
	await profileRows.insert(tx, { id, ...key, now });
	await walletRows.insert(tx, {
		...{ id: walletId, profileId: id, address, chainId: deps.homeChainId, now },
		...{ capability: USABLE, providerWalletId },
	});
	await profileRows.setCanonical(tx, id, walletId);
	await deps.audit.append(tx, {
		actor: "service:wallets",
		action: "wallets.profile.created",
		subject: `profile:${id}`,
		detail: { address, by: "configuration" },
	});
	return requireProfile(tx, id);
}
