import type { Audit } from "#core/audit/Audit.ts";
import type { Tx } from "#core/db/Database.ts";
import type { Profile } from "#plugins/wallets/contract.ts";
import type { EnrolledUser } from "#plugins/wallets/enrolment/EnrolledUser.ts";
import { type EnrolmentPlan, planEnrolment } from "#plugins/wallets/enrolment/planEnrolment.ts";
import { readUnlinked } from "#plugins/wallets/enrolment/readUnlinked.ts";
import { withoutUnlinked } from "#plugins/wallets/enrolment/withoutUnlinked.ts";
import { walletsFault } from "#plugins/wallets/faults.ts";
import { WALLETS_PER_PROFILE_MAX } from "#plugins/wallets/limits.ts";
import { chooseCanonical } from "#plugins/wallets/profile/chooseCanonical.ts";
import { requireProfile } from "#plugins/wallets/profile/requireProfile.ts";
import { lockIdentity } from "#plugins/wallets/profile/sql/lockIdentity.ts";
import { profileRows } from "#plugins/wallets/profile/sql/profileRows.ts";
import { readProfile } from "#plugins/wallets/profile/sql/readProfile.ts";
import { walletRows } from "#plugins/wallets/profile/sql/walletRows.ts";

export type EnrolContext = {
	audit: Audit;
	newId: () => string;
	/** Where wallets are linked. */
	homeChainId: number;
	nowMs: number;
	/** Links again what the owner unlinked here. */
	relink: boolean;
};

/** Makes a profile what the wallet provider says of its owner; answers it as it then is. */
export async function enrol(tx: Tx, told: EnrolledUser, context: EnrolContext): Promise<Profile> {
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
	await profileRows.touch(tx, id);
	await context.audit.append(tx, {
		actor: `profile:${id}`,
		action: foundId === null ? "wallets.profile.created" : "wallets.profile.enrolled",
		subject: `profile:${id}`,
		detail: detailOf(plan, profile),
	});
	return requireProfile(tx, id);
}

/** Whose they are already; null: nobody's. Refuses what two profiles would have to share. */
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

/** Addresses and capabilities; never what the wallet provider calls somebody. */
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
