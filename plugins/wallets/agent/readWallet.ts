// Reads what a profile's wallets hold, and the limits in force, for the agent.

import { chainNumbers } from "#core/chain/Chain.ts";
import { httpFault } from "#core/http/faults.ts";
import { formatAmount } from "#core/money.ts";
import type { Period } from "#core/period.ts";
import type { ChainAccess, Core } from "#core/plugin/Core.ts";
import { DAY_MS } from "#core/time.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { spentTodaySql } from "#plugins/wallets/execution/readSituation.ts";
import type { Profile, SpendLimits, Wallet } from "#plugins/wallets/model.ts";
import { limitsInForce } from "#plugins/wallets/spend/spend.ts";

export type CoinBalance = {
	walletId: string;
	address: string;
	chain: string;
	symbol: string;
	/** Whole coins, exact; null where the chain did not answer. Unknown is not zero. */
	balance: string | null;
	balanceRaw: string | null;
};

/** Limits the wallets that are asked about: each is a call to each chain's nodes. */
const WALLETS_MAX = 10;
/** Limits the wait for one chain, so that a silent one does not delay the others' balances. */
const ANSWER_WAIT_MS = 5_000;

/** Reads what a profile's wallets hold of the coins of all chains reached here, or of one. */
export async function readBalances(
	{ chains, reached }: Pick<Core, "chains" | "reached">,
	asked: { profile: Profile; chain: string | undefined; signal: AbortSignal; waitMs?: number },
): Promise<CoinBalance[]> {
	const { profile, chain, waitMs = ANSWER_WAIT_MS } = asked;
	const id = chain === undefined ? null : chains.bySlug(chain)?.id;
	const served = reached.filter((access) => id === null || access.chain.id === id);
	if (served.length === 0) {
		throw httpFault.notFound({ public: `The chain "${chain}" is not served here.` });
	}
	const wallets = profile.wallets.slice(0, WALLETS_MAX);
	const signal = AbortSignal.any([asked.signal, AbortSignal.timeout(waitMs)]);
	const found = await Promise.all(served.map((access) => balancesOn(access, { wallets, signal })));
	return found.flat();
}

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

/**
 * Reads what a profile's actions of a period spent or hold, in microdollars: what they reserved
 * then, without what was given back since; both ends count. Reads the one range of
 * `spend_counted`, and beside it what was given back of those.
 */
export async function readSpending(
	{ db }: Pick<ExecutionDeps, "db">,
	profile: Profile,
	{ fromMs, untilMs }: Period,
): Promise<{ usdMicros: bigint; actions: number }> {
	const [row] = await db.query<{ spent: string; actions: number }>(
		`with own as (
			select intent_id, sum(usd_micros) as reserved from wallets.spend_entry
			where profile_id = $1 and at >= $2 and at <= $3 and kind = 'reserve'
			group by intent_id
		), counted as (
			select own.reserved - coalesce((
				select sum(case when kind = 'release' then usd_micros else -usd_micros end)
				from wallets.spend_entry as back
				where back.intent_id = own.intent_id and back.kind in ('release', 'unrelease')
			), 0) as usd_micros
			from own
		)
		select coalesce(sum(usd_micros), 0)::text as spent,
			(count(*) filter (where usd_micros > 0))::int4 as actions
		from counted`,
		[profile.id, new Date(fromMs), new Date(untilMs)],
	);
	return { usdMicros: BigInt(row?.spent ?? "0"), actions: row?.actions ?? 0 };
}

async function balancesOn(
	{ chain, rpcFor }: ChainAccess,
	{ wallets, signal }: { wallets: readonly Wallet[]; signal: AbortSignal },
): Promise<CoinBalance[]> {
	if (wallets.length === 0) return [];
	const calls = wallets.map(({ address }) => {
		return { method: "eth_getBalance", params: [address, "latest"] };
	});
	const outcomes = await rpcFor("requests")
		.settle(calls, { signal })
		.catch(() => []);
	return wallets.map(({ id, address }, index) => {
		const outcome = outcomes[index];
		const read = chainNumbers.wei.safeParse(outcome?.kind === "result" ? outcome.result : null);
		const units = read.success ? read.data : null;
		const { nativeCurrency: currency } = chain;
		return {
			walletId: id,
			address,
			chain: chain.slug,
			symbol: currency.symbol,
			balance: units === null ? null : formatAmount({ units, currency }),
			balanceRaw: units === null ? null : String(units),
		};
	});
}
