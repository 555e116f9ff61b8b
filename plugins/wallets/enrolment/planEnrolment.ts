// Says what a profile must become, and opens the profile of the deployment's wallet.

import type { Audit } from "#core/audit/createAudit.ts";
import type { Address } from "#core/chain/Hex.ts";
import type { Clock } from "#core/clock.ts";
import type { Database, Tx } from "#core/db/Database.ts";
import { defineFaults } from "#core/fault.ts";
import type { Custody, CustodyWallet, LinkedAccount } from "#plugins/custody/contract.ts";
import type { Profile, Wallet, WalletCapability } from "#plugins/wallets/model.ts";
import { deploymentName } from "#plugins/wallets/profile/changeSettings.ts";
import { lockIdentity, requireProfile } from "#plugins/wallets/profile/profile.ts";
import { profileRows, readProfile, walletRows } from "#plugins/wallets/profile/sql.ts";

/** Holds what the wallet provider knows of a user, in this plugin's terms. */
export type EnrolledUser = {
	/** The wallet provider's name for them. */
	id: string;
	social: { userId: string; username: string | null } | null;
	wallets: readonly EnrolledWallet[];
};

export type EnrolledWallet = {
	address: Address;
	providerWalletId: string | null;
	capability: WalletCapability;
};

/** Holds the changes that make a profile equal to the provider's record; empty where it is. */
export type EnrolmentPlan = {
	/** Undefined: stays. */
	social: { userId: string; username: string | null } | null | undefined;
	added: readonly EnrolledWallet[];
	changed: readonly { wallet: Wallet; to: Omit<EnrolledWallet, "address"> }[];
};

type LinkedWallet = Extract<LinkedAccount, { type: "wallet" }>;

type DeploymentDeps = {
	db: Database;
	clock: Clock;
	audit: Audit;
	custody: Custody;
	newId: () => string;
	homeChainId: number;
};

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

const USABLE = "embedded/delegated";

const accountOf = ({ address }: CustodyWallet, providerWalletId: string) => {
	return { type: "wallet", address, providerWalletId } as const;
};

/**
 * Returns the differences between a profile and what the wallet provider reports of its owner.
 *
 * `review-required`, which an operator has to clear, is not cleared by signing in.
 */
export function planEnrolment(profile: Profile, user: EnrolledUser): EnrolmentPlan {
	const byAddress = new Map(user.wallets.map((wallet) => [wallet.address, wallet]));
	const known = new Set(profile.wallets.map(({ address }) => address));
	const added = user.wallets.filter(({ address }) => !known.has(address));
	const changed = profile.wallets.flatMap((wallet) => {
		const to = destinyOf(wallet, byAddress.get(wallet.address));
		const isSame =
			to.capability === wallet.capability && to.providerWalletId === wallet.providerWalletId;
		return isSame ? [] : [{ wallet, to }];
	});
	const { social } = user;
	const isKnown =
		(social?.userId ?? null) === profile.socialUserId &&
		(social?.username ?? null) === profile.socialUsername;
	return { social: isKnown ? undefined : social, added, changed };
}

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

/**
 * Says what we may do with a wallet. The server submits only for what is proved to be delegated, so
 * everything in doubt is less.
 *
 * @param held what the provider says of the wallet itself; null where it knows of none.
 */
export function capabilityOf(account: LinkedWallet, held: CustodyWallet | null): WalletCapability {
	if (account.providerWalletId === null) return "external/manual";
	if (!held) return "embedded/manual";
	const isTheOne = held.id === account.providerWalletId && held.address === account.address;
	if (!isTheOne) return "review-required";
	if (held.isArchived) return "disabled";
	return held.isDelegated ? "embedded/delegated" : "embedded/manual";
}

function destinyOf(
	wallet: Wallet,
	enrolled: EnrolledWallet | undefined,
): Omit<EnrolledWallet, "address"> {
	const { capability, providerWalletId } = wallet;
	const stays = { capability, providerWalletId };
	if (capability === "review-required") return stays;
	if (enrolled) {
		return { capability: enrolled.capability, providerWalletId: enrolled.providerWalletId };
	}
	// A wallet whose owner proved it by a signature stays, even if the provider does not list it.
	return providerWalletId === null ? stays : { capability: "disabled", providerWalletId };
}

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
