import { DAY_MS } from "#core/time/units.ts";
import type { Profile, SpendLimits } from "#plugins/wallets/contract.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { spentTodaySql } from "#plugins/wallets/execution/readSituation.ts";
import { limitsInForce } from "#plugins/wallets/spend/limitsInForce.ts";

/**
 * Reads the limits in force for a profile's canonical wallet through the agent, and the
 * microdollars that count in the last 24 hours. Null: the profile has no wallet.
 */
export async function readLimits(
	{ db, clock, settings }: Pick<ExecutionDeps, "db" | "clock" | "settings">,
	profile: Profile,
): Promise<{ limits: SpendLimits; spentTodayUsdMicros: bigint } | null> {
	const { wallets, canonicalWalletId } = profile;
	const wallet = wallets.find(({ id }) => id === canonicalWalletId) ?? wallets[0];
	if (!wallet) return null;
	const since = new Date(clock.nowMs() - DAY_MS);
	const [row] = await db.query<{ spent: string }>(
		spentTodaySql({ profile: "$1::uuid", since: "$2::timestamptz" }),
		[profile.id, since],
	);
	const limits = limitsInForce(settings.limits, {
		profile,
		wallet,
		channel: "agent",
		recipient: null,
	});
	return { limits, spentTodayUsdMicros: BigInt(row?.spent ?? "0") };
}
