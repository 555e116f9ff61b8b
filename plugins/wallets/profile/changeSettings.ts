import type { Audit } from "#core/audit/Audit.ts";
import type { Tx } from "#core/db/Database.ts";
import type { Fault } from "#core/fault/Fault.ts";
import { httpFault } from "#core/http/httpFault.ts";
import type { Profile } from "#plugins/wallets/contract.ts";
import { walletsFault } from "#plugins/wallets/faults.ts";
import { noteChange, requireProfile } from "#plugins/wallets/profile/requireProfile.ts";
import { profileRows } from "#plugins/wallets/profile/sql/profileRows.ts";
import { walletRows } from "#plugins/wallets/profile/sql/walletRows.ts";
import { type UserLimits, usdText } from "#plugins/wallets/profile/usdText.ts";

/** What somebody changes of their profile. Undefined stays; null is the deployment's default. */
export type SettingsChange = {
	requireTradeConfirmation?: boolean | undefined;
	perTradeUsdMax?: bigint | null | undefined;
	dailyUsdMax?: bigint | null | undefined;
	canonicalWalletId?: string | undefined;
	wallets?: readonly { id: string; notionalUsdMax: bigint | null }[] | undefined;
};

export type ChangeContext = {
	profileId: string;
	/** Whether who asks has signed in recently. */
	mayWeaken: boolean;
	audit: Audit;
	limits: UserLimits;
};

/**
 * Changes a profile's settings, all or none. A limit above the deployment's is refused and not
 * stored: it would look as if it counted. What makes it easier to spend needs somebody who has just
 * proved who they are: a session that was left open or stolen may lock, and not unlock.
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

type Safeguards = Pick<Profile, "requireTradeConfirmation" | "perTradeUsdMax" | "dailyUsdMax">;

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

/** Finds a wallet of the profile. Somebody else's is not there, like one that never was. */
function own(profile: Profile, walletId: string): Profile["wallets"][number] {
	const wallet = profile.wallets.find(({ id }) => id === walletId);
	if (!wallet) throw walletsFault.notFound();
	return wallet;
}

function orStay(wanted: bigint | null | undefined, before: bigint | null): bigint | null {
	return wanted === undefined ? before : wanted;
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
