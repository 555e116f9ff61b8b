// Judges spends against limits, and follows them in the spend ledger.

import { type Address, hexOf, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Clock } from "#core/clock.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";
import { mulDiv } from "#core/money.ts";
import { DAY_MS } from "#core/time.ts";
import type { Prices, UsdRate } from "#plugins/prices/contract.ts";
import type { AccountState } from "#plugins/wallets/chain/readAccount.ts";
import type { IntentStatus } from "#plugins/wallets/intent/Intent.ts";
import {
	type Denial,
	readError,
	usdFigure,
	usdWords,
} from "#plugins/wallets/intent/intentError.ts";
import type {
	Channel,
	Profile,
	SpendLimits,
	SpendSituation,
	Wallet,
} from "#plugins/wallets/model.ts";
import type { Held } from "#plugins/wallets/Wallets.ts";

/** Names what can follow a reservation. */
export type SpendMove = "spend" | "release" | "unspend" | "unrelease";

/** Holds the limits that apply where a profile has set no others, in microdollars. */
export type DefaultLimits = SpendLimits & {
	/** Limits what is spent by social posts and messages, per trade and per day. */
	socialUsdMicros: bigint;
};

type HeldRow = {
	id: string;
	status: IntentStatus;
	error_code: string | null;
	error: unknown;
	raw: string;
	hash: Uint8Array | null;
};

const LATER = "Ask again later.";
const LESS = "Ask for less, or raise the limit as far as this service allows it.";

const columns = `(intent_id, profile_id, wallet_id, kind, chain_id, currency, amount_raw,
	usd_micros, at)`;

/**
 * Counts an intent's spends and releases in the ledger, each without those that were taken back.
 */
const standsSql = `select
		count(*) filter (where kind = 'spend') - count(*) filter (where kind = 'unspend') as spent,
		count(*) filter (where kind = 'release') - count(*) filter (where kind = 'unrelease')
			as released
	from wallets.spend_entry where intent_id = $1`;

/** Somebody new gets nothing of what a post says before its author had a day to see it. */
const SOCIAL_COOLDOWN_MS = DAY_MS;

/** Returns why a message may not be signed, even if another account pays for the gas. */
export function messageDenial(
	deps: Parameters<typeof feeDenial>[0],
	{ chainId, feeRaw }: { chainId: number; feeRaw: bigint },
): Denial | null {
	return feeDenial(deps, { chainId, gasLimit: 0n, account: { maxFeePerGas: 0n }, feeRaw });
}

/**
 * Returns why a transaction may not offer the network so much; null: it may. The price of gas is
 * what a node says, and what a lying one says would be paid out of the wallet past every limit.
 */
export function feeDenial(
	{
		prices,
		clock,
		settings,
	}: { prices: Prices; clock: Clock; settings: { networkFeeUsdMicros: bigint } },
	asked: {
		chainId: number;
		gasLimit: bigint;
		account: Pick<AccountState, "maxFeePerGas">;
		/** The fee for a message, beside its gas, in the chain's coin. */
		feeRaw?: bigint | undefined;
		/** Multiplies the fee limit for this transaction. */
		limitTimes?: bigint;
	},
): Denial | null {
	const { chainId, gasLimit, account, feeRaw = 0n, limitTimes = 1n } = asked;
	const rate = prices.usdRate({ chainId, currency: ZERO_ADDRESS }, clock.nowMs());
	const micros = usdMicros(gasLimit * account.maxFeePerGas + feeRaw, rate);
	const most = settings.networkFeeUsdMicros * limitTimes;
	const limit = usdFigure(most);
	if (micros === null) {
		const value = String(gasLimit * account.maxFeePerGas + feeRaw);
		const amount = { value, unit: "wei" };
		const detail = "The network's fee cannot be priced in USD now.";
		return { code: "usd_rate_unavailable", detail, limit, amount, action: LATER };
	}
	if (micros <= most) return null;
	const detail = `The network asks for up to ${usdWords(micros)}, and ${usdWords(most)} may be offered at most.`;
	return { code: "network_fee_limit", detail, limit, amount: usdFigure(micros), action: LATER };
}

/**
 * Writes the end of an intent's reservation to the ledger. A spend or release is written only where
 * the reservation is open, its reversal only where there is one to reverse, of the same amount. So
 * a repeated move is written once. The caller holds the lock of the intent's row.
 */
export async function followSpend(
	tx: Tx,
	follow: { intentId: string; move: SpendMove; at: Date; spentRaw?: bigint | null },
): Promise<void> {
	const { intentId, move, at, spentRaw = null } = follow;
	if (move === "spend") {
		const cost = spentRaw === null ? null : String(spentRaw);
		await tx.execute(
			`with stands as (${standsSql}), paid as (
				select e.*, $3::numeric as spent_raw from wallets.spend_entry e, stands
				where e.intent_id = $1 and e.kind = 'reserve' and spent = 0 and released = 0
			) ${spendOf("paid", "$2::timestamptz")}`,
			[intentId, at, cost],
		);
		return;
	}
	if (move === "release") {
		await tx.execute(
			`with stands as (${standsSql})
			insert into wallets.spend_entry ${columns}
			select intent_id, profile_id, wallet_id, 'release', chain_id, currency, amount_raw,
				usd_micros, $2::timestamptz
			from wallets.spend_entry, stands
			where intent_id = $1 and kind = 'reserve' and spent = 0 and released = 0`,
			[intentId, at],
		);
		return;
	}
	// A partial spend and the release of its rest are reversed together.
	await tx.execute(
		`with stands as (${standsSql})
		insert into wallets.spend_entry ${columns}
		select distinct on (kind) intent_id, profile_id, wallet_id,
			case kind when 'spend' then 'unspend' else 'unrelease' end, chain_id, currency,
			amount_raw, usd_micros, $2::timestamptz
		from wallets.spend_entry, stands
		where intent_id = $1 and (
			(kind = 'spend' and spent > 0) or (kind = 'release' and released > 0)
		) and case when $3 then spent > 0 else spent = 0 and released > 0 end
		order by kind, id desc`,
		[intentId, at, move === "unspend"],
	);
}

/**
 * Returns the part of a statement that spends what was reserved: all of it, or `spent_raw` of it,
 * and then it gives the rest back. `rows` has the entries of reservations, each with its
 * `spent_raw`. Dollars are rounded against the owner: what is spent is never counted as less.
 */
export function spendOf(rows: string, at: string): string {
	const cost = "least(coalesce(spent_raw, amount_raw), amount_raw)";
	const costUsd = `case when amount_raw = 0 then usd_micros
		else ceil(usd_micros::numeric * ${cost} / amount_raw)::int8 end`;
	return `insert into wallets.spend_entry ${columns}
		select intent_id, profile_id, wallet_id, 'spend', chain_id, currency, ${cost}, ${costUsd}, ${at}
		from ${rows}
		union all
		select intent_id, profile_id, wallet_id, 'release', chain_id, currency,
			amount_raw - ${cost}, usd_micros - ${costUsd}, ${at}
		from ${rows} where ${cost} < amount_raw`;
}

/** Returns the least of what the profile, its wallet, the channel and the deployment allow. */
export function limitsInForce(
	defaults: DefaultLimits,
	by: { profile: Profile; wallet: Wallet; channel: Channel; recipient: Address | null },
): SpendLimits {
	const { profile, wallet, channel, recipient } = by;
	const social = channel === "social" ? defaults.socialUsdMicros : null;
	return {
		perTradeUsdMicros: least(defaults.perTradeUsdMicros, profile.perTradeUsdMax, social),
		walletNotionalUsdMicros: least(defaults.walletNotionalUsdMicros, wallet.notionalUsdMax),
		dailyUsdMicros: least(defaults.dailyUsdMicros, profile.dailyUsdMax, social),
		recipientCooldownMs:
			channel === "social" && isThirdParty(recipient, profile)
				? Math.max(defaults.recipientCooldownMs, SOCIAL_COOLDOWN_MS)
				: defaults.recipientCooldownMs,
	};
}

/**
 * Returns whether money would go to an address of other people; false without a recipient, and for
 * a wallet of the profile's own. The author of a post may have been talked into paying others: on
 * the social channel that always needs a link.
 */
export function isThirdParty(recipient: Address | null, { wallets }: Profile): boolean {
	if (recipient === null) return false;
	const wanted = recipient.toLowerCase();
	return wallets.every(({ address }) => address.toLowerCase() !== wanted);
}

/**
 * Reads the status of intents and what each holds in the spend ledger, in base units: what was
 * reserved and neither released nor, after a release, reserved again. An intent that reserved
 * nothing yet holds zero.
 */
export async function readHeld(db: Queryable, intentIds: readonly string[]): Promise<Held[]> {
	const rows = await db.query<HeldRow>(
		`select i.id, i.status, i.error_code, i.error, coalesce((
			select sum(case e.kind
				when 'reserve' then e.amount_raw
				when 'release' then -e.amount_raw
				when 'unrelease' then e.amount_raw
				else 0
			end) from wallets.spend_entry e where e.intent_id = i.id
		), 0)::text as raw, (
			select s.transaction_hash from wallets.submission s where s.intent_id = i.id
				and s.purpose = 'pay' order by s.step desc limit 1
		) as hash
		from wallets.intent i where i.id = any($1::uuid[])`,
		[intentIds],
	);
	return rows.map(({ id, status, error_code: errorCode, error, raw, hash }) => ({
		...{ intentId: id, status, errorCode, error: readError(errorCode, error) },
		...{ raw: BigInt(raw), transactionHash: hash && hexOf(hash) },
	}));
}

/**
 * Returns why limits in dollars deny a spend; null: they allow it. What has no price in dollars is
 * denied, since no limit can hold it.
 */
export function spendDenial(situation: SpendSituation): Denial | null {
	const { usdMicros, spentTodayUsdMicros, limits } = situation;
	const { perTradeUsdMicros, walletNotionalUsdMicros, dailyUsdMicros } = limits;
	if (usdMicros === null) {
		const detail =
			"Nothing says what it is worth in USD now, so no limit can be held against it: at most " +
			`${usdWords(perTradeUsdMicros)} may be moved at once.`;
		const limit = usdFigure(perTradeUsdMicros);
		return { code: "usd_rate_unavailable", detail, limit, action: LATER };
	}
	const amount = usdFigure(usdMicros);
	const over = (most: bigint, whose: string) =>
		`It counts as ${usdWords(usdMicros)}, more than the ${usdWords(most)} that ${whose} at once.`;
	if (usdMicros > perTradeUsdMicros) {
		const detail = over(perTradeUsdMicros, "the profile may move");
		const limit = usdFigure(perTradeUsdMicros);
		return { code: "per_trade_limit", detail, limit, amount, action: LESS };
	}
	if (usdMicros > walletNotionalUsdMicros) {
		const detail = over(walletNotionalUsdMicros, "the wallet may move");
		const limit = usdFigure(walletNotionalUsdMicros);
		return { code: "wallet_notional_limit", detail, limit, amount, action: LESS };
	}
	const together = spentTodayUsdMicros + usdMicros;
	if (together <= dailyUsdMicros) return null;
	const detail =
		`With the ${usdWords(spentTodayUsdMicros)} of the last 24 hours it is ${usdWords(together)}, ` +
		`more than the ${usdWords(dailyUsdMicros)} that the profile may move in a day.`;
	const action = "Wait until some of that is a day old, or ask for less.";
	const limit = usdFigure(dailyUsdMicros);
	return { code: "daily_limit", detail, limit, amount: usdFigure(together), action };
}

/**
 * Converts base units into millionths of a dollar. Rounded up: a limit is never passed by a
 * rounding. Null where no feed knows the currency, and where it answers nothing that could be a
 * price.
 */
export function usdMicros(raw: bigint, rate: UsdRate | null): bigint | null {
	if (!rate || rate.answer <= 0n) return null;
	const unit = 10n ** BigInt(rate.decimals + rate.currencyDecimals);
	return mulDiv(raw, rate.answer * 1_000_000n, unit, "up");
}

function least(first: bigint, ...others: (bigint | null)[]): bigint {
	return others.reduce<bigint>((low, one) => (one !== null && one < low ? one : low), first);
}
