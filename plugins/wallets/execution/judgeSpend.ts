import type { Address } from "#core/chain/Hex.ts";
import { assert } from "#core/fault/assert.ts";
import type {
	Denial,
	Intent,
	Plan,
	Profile,
	SpendSituation,
	Wallet,
} from "#plugins/wallets/contract.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { limitsInForce } from "#plugins/wallets/spend/limitsInForce.ts";
import { spendDenial } from "#plugins/wallets/spend/spendDenial.ts";
import { usdMicros } from "#plugins/wallets/spend/usdMicros.ts";

type Given = {
	planned: readonly { intent: Intent; plan: Pick<Plan, "chainId" | "spend"> }[];
	profile: Profile;
	wallet: Wallet;
	/** When, and what was found under the lock of the profile's row. */
	at: Date;
	spentToday: bigint;
	/** How long the profile knows each recipient; null where there is none. */
	known: readonly (number | null)[];
};

/**
 * Holds a batch against the limits in force: each spend by itself, and each beside all before it in
 * the last 24 hours and in the batch. Answers what each is in microdollars.
 */
export function judgeSpend(
	deps: ExecutionDeps,
	{ planned, profile, wallet, at, spentToday, known }: Given,
): { kind: "ok"; usdMicros: bigint[] } | { kind: "denied"; denial: Denial } {
	let spent = spentToday;
	const usdMicrosOfAll: bigint[] = [];
	for (const [index, { intent, plan }] of planned.entries()) {
		const micros = worthOf(deps, plan, at);
		const situation: SpendSituation = {
			usdMicros: micros,
			spentTodayUsdMicros: spent,
			limits: limitsInForce(deps.settings.limits, { profile, wallet, channel: intent.channel }),
			recipientKnownForMs: known[index] ?? null,
		};
		// A kind may deny more, in its own words, and none less: what no limit can hold is denied.
		const denial = kindDenial(deps, intent.kind, situation) ?? spendDenial(situation);
		if (denial) return { kind: "denied", denial };
		assert(micros !== null, "what has no price in dollars was denied");
		spent += micros;
		usdMicrosOfAll.push(micros);
	}
	return { kind: "ok", usdMicros: usdMicrosOfAll };
}

/** Microdollars of what is spent, or of what that is said to be worth where that is more. */
function worthOf(
	{ prices }: ExecutionDeps,
	{ chainId, spend }: Pick<Plan, "chainId" | "spend">,
	at: Date,
): bigint | null {
	const priceOf = ({ currency, raw }: { currency: Address; raw: bigint }) => {
		return usdMicros(raw, prices.usdRate({ chainId, currency }, at.getTime()));
	};
	const own = priceOf(spend);
	const worth = spend.worth ? priceOf(spend.worth) : null;
	if (own === null || worth === null) return own ?? worth;
	return own > worth ? own : worth;
}

function kindDenial(deps: ExecutionDeps, name: string, situation: SpendSituation): Denial | null {
	const kind = deps.kindOf(name);
	if (kind) return kind.deny(situation);
	return { code: "disabled", detail: "Nothing here knows this kind of intent any more." };
}
