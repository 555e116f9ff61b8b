import { readAbiUint } from "#core/chain/abi/readAbiUint.ts";
import { chainNumbers } from "#core/chain/chainNumbers.ts";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Rpc, RpcOutcome } from "#core/chain/rpc/Rpc.ts";
import { assert } from "#core/fault/assert.ts";
import { mulDiv } from "#core/money/mulDiv.ts";
import type { LastPrice, References } from "#plugins/trading/prices/createReference.ts";
import { settleViews, type View } from "#plugins/trading/reads/settleViews.ts";
import type { Asset } from "#plugins/trading/registry/Asset.ts";
import { MULTIPLIER_MAX, MULTIPLIER_ONE } from "#plugins/trading/registry/limits.ts";
import type { Wallet } from "#plugins/wallets/contract.ts";

/** The most wallets that are read: each costs one call per token. */
export const HOLDING_WALLETS_MAX = 10;
/** After this time a balance counts as unknown, so that the answer comes in time. */
const ANSWER_WAIT_MS = 5_000;

/** The chain's answers about one token in one wallet; null where there was none. */
export type BalanceRead = {
	rawBalance: bigint | null;
	/**
	 * The ERC-8056 multiplier at that moment: 1e18 is one share per token. `none`: the token has
	 * none.
	 */
	multiplier: bigint | "none" | null;
};

export type Holding = BalanceRead & {
	wallet: Wallet;
	asset: Asset;
	/** Null: the price is unknown. */
	price: LastPrice | null;
	/** The value in microdollars; null where balance or price is unknown. */
	valueMicros: bigint | null;
};

/**
 * Returns the tradable balance, in the token's own base units. Everything that is sent or sold is
 * part of this, also "all".
 */
export function getUserRawBalance({ rawBalance }: BalanceRead): bigint | null {
	return rawBalance;
}

/**
 * Returns the balance as shares: raw balance times the multiplier, rounded down as the token rounds
 * it. For display only: it is never sent, and never multiplied by the price, which already contains
 * the multiplier.
 */
export function getUserUIBalance({ rawBalance, multiplier }: BalanceRead): bigint | null {
	if (rawBalance === null || multiplier === null) return null;
	return multiplier === "none"
		? rawBalance
		: mulDiv(rawBalance, multiplier, MULTIPLIER_ONE, "down");
}

/**
 * Reads what wallets hold of tokens, and its value: raw balance times the feed's full price. All
 * balances are read in one request. Zero balances are left out; unknown ones are returned as
 * unknown.
 */
export async function readHoldings(
	deps: { rpc: Rpc; reference: Pick<References, "last"> },
	asked: {
		wallets: readonly Wallet[];
		assets: readonly Asset[];
		signal: AbortSignal;
		waitMs?: number;
	},
): Promise<Holding[]> {
	const { assets, waitMs = ANSWER_WAIT_MS } = asked;
	const wallets = asked.wallets.slice(0, HOLDING_WALLETS_MAX);
	const signal = AbortSignal.any([asked.signal, AbortSignal.timeout(waitMs)]);
	const [reads, prices] = await Promise.all([
		readBalances(deps.rpc, { wallets, assets, signal }),
		Promise.all(assets.map((asset) => deps.reference.last(asset))),
	]);
	const held: Holding[] = [];
	for (const wallet of wallets) {
		for (const [index, asset] of assets.entries()) {
			const read = reads.get(keyOf(wallet.address, asset.address));
			assert(read, "each wallet is asked for each token");
			if (read.rawBalance === 0n) continue;
			const price = prices[index] ?? null;
			held.push({ ...read, wallet, asset, price, valueMicros: worthOf(asset, read, price) });
		}
	}
	return held;
}

/**
 * Returns the value in microdollars, rounded down so that it never shows money that is not there.
 */
function worthOf(asset: Asset, read: BalanceRead, price: LastPrice | null): bigint | null {
	const raw = getUserRawBalance(read);
	if (raw === null || price === null) return null;
	return mulDiv(raw, price.microsPerUnit, 10n ** BigInt(asset.decimals), "down");
}

async function readBalances(
	rpc: Rpc,
	{
		wallets,
		assets,
		signal,
	}: { wallets: readonly Wallet[]; assets: readonly Asset[]; signal: AbortSignal },
): Promise<Map<string, BalanceRead>> {
	const multiplied = assets.filter(({ kind }) => kind === "stock");
	const multiplierViews = multiplied.map(
		({ address }): View => ({ to: address, data: "0xa60bf13d" }),
	);
	const balanceViews = wallets.flatMap((wallet) => {
		return assets.map((asset) => balanceView(asset.address, wallet.address));
	});
	const views = [...multiplierViews, ...balanceViews];
	const none: RpcOutcome[] = [];
	const outcomes = await settleViews(rpc, views, { signal }).catch(() => none);
	const multipliers = new Map(
		multiplied.map(({ address }, index) => [address, multiplierOf(outcomes[index])]),
	);
	const found = new Map<string, BalanceRead>();
	let at = multiplierViews.length;
	for (const wallet of wallets) {
		for (const asset of assets) {
			const rawBalance = balanceOf(asset.address, outcomes[at++]);
			const multiplier = asset.kind === "stock" ? (multipliers.get(asset.address) ?? null) : "none";
			found.set(keyOf(wallet.address, asset.address), { rawBalance, multiplier });
		}
	}
	return found;
}

function balanceView(token: Address, owner: Address): View {
	if (token === ZERO_ADDRESS) return { coinOf: owner };
	return { to: token, data: `0x70a08231${owner.slice(2).padStart(64, "0")}` };
}

function balanceOf(token: Address, outcome: RpcOutcome | undefined): bigint | null {
	if (outcome?.kind !== "result") return null;
	if (token !== ZERO_ADDRESS) return readAbiUint(outcome.result);
	// A contract answers a 32-byte word; for the coin's balance the node answers a quantity.
	return readAbiUint(outcome.result) ?? chainNumbers.wei.safeParse(outcome.result).data ?? null;
}

function multiplierOf(outcome: RpcOutcome | undefined): BalanceRead["multiplier"] {
	// The contract reverts a function that it does not have.
	if (outcome?.kind === "fault") return outcome.fault.code === "rpc_refused" ? "none" : null;
	if (outcome?.result === "0x") return "none";
	const value = readAbiUint(outcome?.result);
	return value !== null && value > 0n && value <= MULTIPLIER_MAX ? value : null;
}

function keyOf(wallet: Address, token: Address): string {
	return `${wallet}:${token}`;
}
