// Changes a profile: its settings, and which wallets and accounts are linked.

import type { Audit } from "#core/audit/createAudit.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";
import type { Fault } from "#core/fault.ts";
import { httpFault } from "#core/http/faults.ts";
import { walletsFault } from "#plugins/wallets/faults.ts";
import type { Profile, Wallet, WalletCapability } from "#plugins/wallets/model.ts";
import {
	lockIdentity,
	noteChange,
	requireProfile,
	type UserLimits,
	usdText,
} from "#plugins/wallets/profile/profile.ts";
import { profileRows, walletRows } from "#plugins/wallets/profile/sql.ts";

/**
 * Holds changes of a profile's settings. Undefined keeps a setting; null is the deployment's
 * default.
 */
export type SettingsChange = {
	requireTradeConfirmation?: boolean | undefined;
	perTradeUsdMax?: bigint | null | undefined;
	dailyUsdMax?: bigint | null | undefined;
	canonicalWalletId?: string | undefined;
	wallets?: readonly { id: string; notionalUsdMax: bigint | null }[] | undefined;
};

export type ChangeContext = {
	profileId: string;
	/** True if the caller has signed in recently, and so may weaken safeguards. */
	mayWeaken: boolean;
	audit: Audit;
	limits: UserLimits;
};

export type UnlinkContext = { profileId: string; audit: Audit; nowMs: number };

type Safeguards = Pick<Profile, "requireTradeConfirmation" | "perTradeUsdMax" | "dailyUsdMax">;

/**
 * Orders wallets by what the service can do with them, most first; a disabled one sends nothing.
 */
const RANK: Readonly<Record<WalletCapability, number>> = {
	"embedded/delegated": 0,
	"embedded/manual": 1,
	"external/manual": 2,
	"review-required": 3,
	disabled: 4,
};

const DISABLED = RANK.disabled;

const DEPLOYMENT = "deployment:";

/**
 * Takes the social account or one wallet from its profile. From the commit on nothing typed there,
 * and nothing signed by it, acts for this profile.
 */
export const unlink = {
	async social(tx: Tx, context: UnlinkContext): Promise<Profile> {
		const before = await lockProfile(tx, context.profileId);
		if (before.socialUserId === null) return before;
		await profileRows.unlinkSocial(tx, before.id);
		return noteChange(tx, context.audit, {
			profileId: before.id,
			action: "wallets.social.unlinked",
			detail: { socialUserId: before.socialUserId },
		});
	},

	async wallet(tx: Tx, walletId: string, context: UnlinkContext): Promise<Profile> {
		const before = await lockProfile(tx, context.profileId);
		const wallet = before.wallets.find(({ id }) => id === walletId);
		if (!wallet) throw walletsFault.notFound();
		const left = before.wallets.filter(({ id }) => id !== wallet.id);
		await walletRows.remove(tx, wallet.id, new Date(context.nowMs));
		const canonicalWalletId = chooseCanonical(left, before.canonicalWalletId);
		await profileRows.setCanonical(tx, before.id, canonicalWalletId);
		return noteChange(tx, context.audit, {
			profileId: before.id,
			action: "wallets.wallet.unlinked",
			walletId: wallet.id,
			detail: { address: wallet.address, capability: wallet.capability, canonicalWalletId },
		});
	},
};

/**
 * Changes a profile's settings, all or none. A limit above the deployment's is refused and not
 * stored, because it would have no effect. Making it easier to spend needs a recent sign-in: a
 * session that was left open or stolen may lock, and not unlock.
 */
export async function changeSettings(
	tx: Tx,
	change: SettingsChange,
	{ profileId, mayWeaken, audit, limits }: ChangeContext,
): Promise<Profile> {
	await profileRows.lock(tx, profileId);
	const before = await requireProfile(tx, profileId);
	refuseTooMuch(change, limits);
	const canonical = change.canonicalWalletId;
	if (canonical !== undefined) own(before, canonical);
	const wallets = (change.wallets ?? []).map((wanted) => ({ wanted, is: own(before, wanted.id) }));
	const next = {
		requireTradeConfirmation: change.requireTradeConfirmation ?? before.requireTradeConfirmation,
		perTradeUsdMax: orStay(change.perTradeUsdMax, before.perTradeUsdMax),
		dailyUsdMax: orStay(change.dailyUsdMax, before.dailyUsdMax),
		canonicalWalletId: canonical ?? before.canonicalWalletId,
	};
	const isWeaker =
		isWeakened(before, next) ||
		wallets.some(({ wanted, is }) => isRaised(is.notionalUsdMax, wanted.notionalUsdMax));
	if (isWeaker && !mayWeaken) throw walletsFault.signInTooOld();
	await updateSettings(tx, before.id, next);
	for (const { wanted, is } of wallets) {
		if (is.notionalUsdMax === wanted.notionalUsdMax) continue;
		await walletRows.setNotional(tx, is.id, wanted.notionalUsdMax);
	}
	const after = await requireProfile(tx, profileId);
	const [was, is] = [told(before), told(after)];
	if (JSON.stringify(was) === JSON.stringify(is)) return before;
	const detail = { before: was, after: is };
	return noteChange(tx, audit, { profileId, action: "wallets.settings.changed", detail });
}

/**
 * Chooses the wallet that commands without a wallet's name act on. The one chosen before stays as
 * long as it can be used: money must not begin to leave from another because one was added.
 */
export function chooseCanonical(
	wallets: readonly Pick<Wallet, "id" | "capability">[],
	chosenId: string | null,
): string | null {
	const chosen = wallets.find(({ id }) => id === chosenId);
	if (chosen && RANK[chosen.capability] < DISABLED) return chosen.id;
	const [best] = wallets
		.filter(({ capability }) => RANK[capability] < DISABLED)
		.sort((one, other) => RANK[one.capability] - RANK[other.capability]);
	return best?.id ?? null;
}

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

function refuseTooMuch(change: SettingsChange, limits: UserLimits): void {
	const asked: [path: string, value: bigint | null | undefined, most: bigint][] = [
		["perTradeUsdMax", change.perTradeUsdMax, limits.perTradeUsdMicros],
		["dailyUsdMax", change.dailyUsdMax, limits.dailyUsdMicros],
	];
	for (const [index, wallet] of (change.wallets ?? []).entries()) {
		const path = `wallets.${index}.notionalUsdMax`;
		asked.push([path, wallet.notionalUsdMax, limits.walletNotionalUsdMicros]);
	}
	for (const [path, value, most] of asked) {
		if (typeof value === "bigint" && value > most) throw tooMuch(path, most);
	}
}

function tooMuch(path: string, most: bigint): Fault {
	const message = `A profile can lower the deployment's limit of ${usdText.of(most)} USD.`;
	return httpFault.validationError({
		public: `The body is not valid (${path}): ${message}`,
		members: { issues: [{ path, message }] },
	});
}

/** Finds a wallet of the profile. Somebody else's is not there, like one that never was. */
function own(profile: Profile, walletId: string): Profile["wallets"][number] {
	const wallet = profile.wallets.find(({ id }) => id === walletId);
	if (!wallet) throw walletsFault.notFound();
	return wallet;
}

function orStay(wanted: bigint | null | undefined, before: bigint | null): bigint | null {
	return wanted === undefined ? before : wanted;
}

function isWeakened(before: Safeguards, next: Safeguards): boolean {
	return (
		(before.requireTradeConfirmation && !next.requireTradeConfirmation) ||
		isRaised(before.perTradeUsdMax, next.perTradeUsdMax) ||
		isRaised(before.dailyUsdMax, next.dailyUsdMax)
	);
}

/** Says whether a limit is raised. Null is above every one: the deployment's own may be raised. */
function isRaised(before: bigint | null, next: bigint | null): boolean {
	return before !== null && (next === null || next > before);
}

/** Writes what a profile's owner can set, by primary key. */
async function updateSettings(
	tx: Tx,
	id: string,
	settings: Pick<
		Profile,
		"requireTradeConfirmation" | "perTradeUsdMax" | "dailyUsdMax" | "canonicalWalletId"
	>,
): Promise<void> {
	await tx.execute(
		`update wallets.profile set require_trade_confirmation = $2, per_trade_usd_max = $3,
			daily_usd_max = $4, canonical_wallet_id = $5
		where id = $1`,
		[
			id,
			settings.requireTradeConfirmation,
			settings.perTradeUsdMax,
			settings.dailyUsdMax,
			settings.canonicalWalletId,
		],
	);
}

function told(profile: Profile): Record<string, unknown> {
	const usd = (micros: bigint | null) => (micros === null ? null : usdText.of(micros));
	return {
		requireTradeConfirmation: profile.requireTradeConfirmation,
		perTradeUsdMax: usd(profile.perTradeUsdMax),
		dailyUsdMax: usd(profile.dailyUsdMax),
		canonicalWalletId: profile.canonicalWalletId,
		wallets: profile.wallets.map(({ id, notionalUsdMax }) => [id, usd(notionalUsdMax)]),
	};
}

async function lockProfile(tx: Tx, profileId: string): Promise<Profile> {
	await lockIdentity(tx);
	await profileRows.lock(tx, profileId);
	return requireProfile(tx, profileId);
}
