// Signs people in by the wallet provider, and brings their profile up to date.

import type { Audit } from "#core/audit/createAudit.ts";
import type { Address } from "#core/chain/Hex.ts";
import type { Clock } from "#core/clock.ts";
import type { Database, Tx } from "#core/db/Database.ts";
import { httpFault } from "#core/http/faults.ts";
import type { Custody } from "#plugins/custody/contract.ts";
import {
	capabilityOf,
	type EnrolledUser,
	type EnrolledWallet,
	type EnrolmentPlan,
	planEnrolment,
} from "#plugins/wallets/enrolment/planEnrolment.ts";
import { walletsFault } from "#plugins/wallets/faults.ts";
import {
	ENROLMENT_CALLS_AT_ONCE_MAX,
	ENROLMENT_TIMEOUT_MS,
	WALLETS_PER_PROFILE_MAX,
} from "#plugins/wallets/limits.ts";
import type { Profile } from "#plugins/wallets/model.ts";
import { chooseCanonical } from "#plugins/wallets/profile/changeSettings.ts";
import { lockIdentity, noteChange, requireProfile } from "#plugins/wallets/profile/profile.ts";
import { profileRows, readProfile, walletRows } from "#plugins/wallets/profile/sql.ts";
import { readHolder } from "#plugins/wallets/session/createAuthenticate.ts";
import {
	type OpenedSession,
	readCredential,
	type Sessions,
} from "#plugins/wallets/session/createSessions.ts";
import type { Principal } from "#plugins/wallets/Wallets.ts";

export type EnrolmentOptions = {
	db: Database;
	clock: Clock;
	audit: Audit;
	custody: Custody;
	sessions: Sessions;
	newId: () => string;
	homeChainId: number;
};

export type Enrolment = ReturnType<typeof createEnrolment>;

type Unlinked = { addresses: ReadonlySet<Address>; socialUserId: string | null };

type EnrolContext = {
	audit: Audit;
	newId: () => string;
	/** The chain on which wallets are linked. */
	homeChainId: number;
	nowMs: number;
	/** Links again what the owner unlinked here. */
	relink: boolean;
};

/** Signs in with the wallet provider's access token, which also brings a profile up to date. */
export function createEnrolment(options: EnrolmentOptions) {
	const { db, clock, custody, sessions } = options;
	const context = (relink: boolean) => ({ ...options, nowMs: clock.nowMs(), relink });
	const bearerOf = (request: Request) => {
		const credential = readCredential(request, sessions.cookie);
		return credential.kind === "access" ? credential.token : undefined;
	};
	const enrolHolder = async (userId: string): Promise<Profile> => {
		const user = await readEnrolledUser(custody, userId);
		return db.transaction((tx) => enrol(tx, user, context(false)));
	};

	return {
		async signIn(
			request: Request,
			sent: { accessToken?: string | undefined; relink: boolean },
		): Promise<{ session: OpenedSession; profile: Profile }> {
			const token = sent.accessToken ?? bearerOf(request);
			if (token === undefined) throw httpFault.unauthorized();
			// Asked before anything is locked: the wallet provider may take its time.
			const { userId, signedInAtMs } = await readHolder(custody, token);
			const user = await readEnrolledUser(custody, userId);
			return db.transaction(async (tx) => {
				const profile = await enrol(tx, user, context(sent.relink));
				const session = await sessions.open(tx, profile.id, request, { signedInAtMs });
				return { session, profile };
			});
		},

		/**
		 * Returns who holds the access token of a request, and makes their profile where there is none
		 * yet. Null where the request carries no such token.
		 */
		async principalOf(request: Request): Promise<Principal | null> {
			const token = bearerOf(request);
			if (token === undefined || !custody.isOn) return null;
			const { userId, signedInAtMs } = await readHolder(custody, token);
			const known = await readProfile(db, { providerUserId: userId });
			const profile = known ?? (await enrolHolder(userId));
			return { profile, sessionId: null, signedInAtMs };
		},
	};
}

/**
 * Asks the wallet provider for the user's current accounts: an access token has only their id, and
 * accounts in it would be as old as the token.
 */
export async function readEnrolledUser(custody: Custody, userId: string): Promise<EnrolledUser> {
	const signal = AbortSignal.timeout(ENROLMENT_TIMEOUT_MS);
	const user = await custody.user(userId, signal);
	if (!user || user.id !== userId) throw httpFault.unauthorized();
	const [social = null, another] = user.accounts.filter((account) => account.type === "social");
	if (another) throw walletsFault.socialAmbiguous();
	const linked = user.accounts.filter((account) => account.type === "wallet");
	if (linked.length > WALLETS_PER_PROFILE_MAX) throw walletsFault.walletsTooMany();
	const wallets: EnrolledWallet[] = [];
	for (let from = 0; from < linked.length; from += ENROLMENT_CALLS_AT_ONCE_MAX) {
		const part = linked.slice(from, from + ENROLMENT_CALLS_AT_ONCE_MAX);
		const read = part.map(async (account) => {
			const { address, providerWalletId } = account;
			const held =
				providerWalletId === null ? null : await custody.wallet(providerWalletId, signal);
			return { address, providerWalletId, capability: capabilityOf(account, held) };
		});
		wallets.push(...(await Promise.all(read)));
	}
	return {
		id: userId,
		social: social && { userId: social.subject, username: social.username },
		wallets: onceEach(wallets),
	};
}

/**
 * Returns a user without the accounts that they unlinked here. Enrolling is also how people sign
 * in, and signing in must not give a social account its wallet back.
 */
export function withoutUnlinked(user: EnrolledUser, unlinked: Unlinked): EnrolledUser {
	const { social } = user;
	return {
		...user,
		social: social && social.userId !== unlinked.socialUserId ? social : null,
		wallets: user.wallets.filter(({ address }) => !unlinked.addresses.has(address)),
	};
}

/** Makes a profile what the wallet provider says of its owner; answers it as it then is. */
async function enrol(tx: Tx, told: EnrolledUser, context: EnrolContext): Promise<Profile> {
	await lockIdentity(tx);
	const own = await readProfile(tx, { providerUserId: told.id });
	const unlinked = own && !context.relink ? await readUnlinked(tx, own.id) : null;
	const user = unlinked ? withoutUnlinked(told, unlinked) : told;
	const foundId = await findProfile(tx, user, own);
	const id = foundId ?? context.newId();
	const now = new Date(context.nowMs);
	if (foundId === null) await profileRows.insert(tx, { id, providerUserId: user.id, now });
	await profileRows.lock(tx, id);
	const before = await requireProfile(tx, id);
	const plan = planEnrolment(before, user);
	if (before.wallets.length + plan.added.length > WALLETS_PER_PROFILE_MAX) {
		throw walletsFault.walletsTooMany();
	}
	await apply(tx, { before, plan, context });
	const profile = await settleCanonical(tx, id);
	const isSame =
		foundId !== null &&
		plan.social === undefined &&
		plan.added.length + plan.changed.length === 0 &&
		profile.canonicalWalletId === before.canonicalWalletId;
	if (isSame) return profile;
	return noteChange(tx, context.audit, {
		profileId: id,
		action: foundId === null ? "wallets.profile.created" : "wallets.profile.enrolled",
		detail: detailOf(plan, profile),
	});
}

/** Reads what a profile's owner unlinked here. */
async function readUnlinked(tx: Tx, profileId: string): Promise<Unlinked> {
	const rows = await tx.query<{ socialUserId: string | null }>(
		`select social_unlinked_id as "socialUserId" from wallets.profile where id = $1`,
		[profileId],
	);
	return {
		addresses: await walletRows.removedOf(tx, profileId),
		socialUserId: rows[0]?.socialUserId ?? null,
	};
}

/** Finds the profile of a user; null: there is none. Refuses what two would have to share. */
async function findProfile(
	tx: Tx,
	user: EnrolledUser,
	own: Profile | null,
): Promise<string | null> {
	const social = user.social && (await readProfile(tx, { socialUserId: user.social.userId }));
	const holders = await walletRows.holdersOf(tx, {
		addresses: user.wallets.map(({ address }) => address),
		providerWalletIds: user.wallets.flatMap(({ providerWalletId }) => providerWalletId ?? []),
	});
	// A profile that was made by signing with one of these wallets, and that no other user of the
	// wallet provider has, is theirs: whoever proves the wallet may sign in to it anyway.
	const adopted = own?.id ?? holders[0]?.profileId ?? null;
	if (social && social.id !== adopted) throw walletsFault.socialLinkedElsewhere();
	if (holders.some(({ profileId }) => profileId !== adopted)) {
		throw walletsFault.walletLinkedElsewhere();
	}
	if (own || adopted === null) return adopted;
	const isFree = await profileRows.adopt(tx, adopted, user.id);
	if (!isFree) throw walletsFault.walletLinkedElsewhere();
	return adopted;
}

async function apply(
	tx: Tx,
	{ before, plan, context }: { before: Profile; plan: EnrolmentPlan; context: EnrolContext },
): Promise<void> {
	const { newId, homeChainId: chainId, nowMs } = context;
	if (plan.social !== undefined) await profileRows.setSocial(tx, before.id, plan.social);
	for (const { wallet, to } of plan.changed) await walletRows.setCapability(tx, wallet.id, to);
	for (const wallet of plan.added) {
		const place = { profileId: before.id, chainId, now: new Date(nowMs) };
		await walletRows.insert(tx, { id: newId(), ...wallet, ...place });
	}
}

async function settleCanonical(tx: Tx, id: string): Promise<Profile> {
	const profile = await requireProfile(tx, id);
	const canonicalWalletId = chooseCanonical(profile.wallets, profile.canonicalWalletId);
	if (canonicalWalletId === profile.canonicalWalletId) return profile;
	await profileRows.setCanonical(tx, id, canonicalWalletId);
	return { ...profile, canonicalWalletId };
}

/** Returns addresses and capabilities for the audit log, without the wallet provider's ids. */
function detailOf(plan: EnrolmentPlan, profile: Profile): Record<string, unknown> {
	return {
		...(plan.social !== undefined && { socialUserId: plan.social?.userId ?? null }),
		added: plan.added.map(({ address, capability }) => ({ address, capability })),
		changed: plan.changed.map(({ wallet, to }) => ({
			walletId: wallet.id,
			from: wallet.capability,
			to: to.capability,
		})),
		canonicalWalletId: profile.canonicalWalletId,
	};
}

/** Takes an account that is linked twice, as embedded and as external, as the embedded one. */
function onceEach(wallets: readonly EnrolledWallet[]): EnrolledWallet[] {
	const byAddress = new Map<string, EnrolledWallet>();
	for (const wallet of wallets) {
		const known = byAddress.get(wallet.address);
		if (!known || known.providerWalletId === null) byAddress.set(wallet.address, wallet);
	}
	return [...byAddress.values()];
}
