import type { Tx } from "#core/db/Database.ts";
import { assert } from "#core/fault/assert.ts";
import type { Denial, Profile, SpendSituation, Wallet } from "#plugins/wallets/contract.ts";
import type { ExecutionWorld } from "#plugins/wallets/execution/ExecutionWorld.ts";
import { DAY_MS } from "#plugins/wallets/execution/limits.ts";
import type { PlannedIntent } from "#plugins/wallets/execution/PlannedIntent.ts";
import { knowRecipient } from "#plugins/wallets/spend/knowRecipient.ts";
import { limitsInForce } from "#plugins/wallets/spend/limitsInForce.ts";
import { readSpentToday } from "#plugins/wallets/spend/readSpentToday.ts";
import { spendDenial } from "#plugins/wallets/spend/spendDenial.ts";
import { usdMicros } from "#plugins/wallets/spend/usdMicros.ts";
import type { SpendEntry } from "#plugins/wallets/spend/writeSpend.ts";

type Given = {
	planned: readonly PlannedIntent[];
	profile: Profile;
	wallet: Wallet;
	at: Date;
};

/**
 * Holds a batch against the limits in force: each spend by itself, and each beside all before it in
 * the last 24 hours and in the batch. The caller holds the profile's row.
 */
export async function judgeSpend(
	world: ExecutionWorld,
	tx: Tx,
	{ planned, profile, wallet, at }: Given,
): Promise<{ kind: "ok"; entries: SpendEntry[] } | { kind: "denied"; denial: Denial }> {
	const since = new Date(at.getTime() - DAY_MS);
	let spent = await readSpentToday(tx, { profileId: profile.id, since });
	const entries: SpendEntry[] = [];
	const profileId = profile.id;
	// First of all: what denies one of a batch must not keep the others unknown.
	const known: (number | null)[] = [];
	for (const { recipient } of planned.map(({ plan }) => plan)) {
		known.push(recipient && (await knowRecipient(tx, { profileId, recipient, at })));
	}
	for (const [index, { intent, plan }] of planned.entries()) {
		const { currency, raw } = plan.spend;
		const priced = { chainId: plan.chainId, currency };
		const micros = usdMicros(raw, world.prices.usdRate(priced, at.getTime()));
		const situation: SpendSituation = {
			usdMicros: micros,
			spentTodayUsdMicros: spent,
			limits: limitsInForce(world.settings.limits, { profile, wallet, channel: intent.channel }),
			recipientKnownForMs: known[index] ?? null,
		};
		// A kind may deny more, in its own words, and none less: what no limit can hold is denied.
		const denial = kindDenial(world, intent.kind, situation) ?? spendDenial(situation);
		if (denial) return { kind: "denied", denial };
		assert(micros !== null, "what has no price in dollars was denied");
		spent += micros;
		entries.push({
			intentId: intent.id,
			profileId,
			walletId: wallet.id,
			chainId: plan.chainId,
			currency,
			amountRaw: raw,
			usdMicros: micros,
		});
	}
	return { kind: "ok", entries };
}

function kindDenial(world: ExecutionWorld, name: string, situation: SpendSituation): Denial | null {
	const kind = world.kindOf(name);
	if (kind) return kind.deny(situation);
	return { code: "disabled", detail: "Nothing here knows this kind of intent any more." };
}
