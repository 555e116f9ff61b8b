import type { Address } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";
import { mulDiv } from "#core/money.ts";
import { type Asset, type Assets, assetOf } from "#plugins/trading/registry/createAssets.ts";
import { assetRows } from "#plugins/trading/sql/assets.ts";
import {
	configuredPools,
	type PriceRecordDeps,
	recordedMicros,
} from "#plugins/trading/swap/readPrice.ts";
import type { TokenPrice, TokenSource } from "#plugins/wallets/contract.ts";

export type TokenSourceOptions = PriceRecordDeps & {
	db: Queryable;
	chainId: number;
	assets: Pick<Assets, "pools" | "setAside" | "read">;
	/** Limits the trades at an unsure price for which an owner may be asked, in microdollars. */
	unpricedUsdMicrosMax: bigint;
	/** The contracts that trades go through, each with what it is: "the swap router". */
	contracts: ReadonlyMap<Address, string>;
};

/**
 * Tells other plugins what the registry knows of tokens, and of the contracts of trading. A token
 * that was rejected has no symbol and no price here: its ticker may be another's. Its contract is
 * one all the same.
 */
export function createTokenSource(options: TokenSourceOptions): TokenSource {
	const { db, chainId, assets, contracts } = options;
	const read = async (token: Address) => {
		const row = await assetRows.read(db, chainId, token);
		return row === null || row.status === "rejected" ? null : assetOf(row);
	};
	return {
		chainId,
		symbolOf: async (token) => (await read(token))?.symbol ?? null,
		async priceOf(token) {
			const asset = await read(token);
			return asset && priceOf(options, asset);
		},
		async contractNamed(address) {
			const named = contracts.get(address);
			if (named !== undefined) return named;
			if (configuredPools(assets).some((pool) => pool.address === address)) {
				return "a pool of the exchange";
			}
			const row = await assetRows.read(db, chainId, address);
			return row && `the contract of the token ${row.symbol}`;
		},
	};
}

/**
 * Returns what one whole token is worth for limits: the higher of its feed's last price and our own
 * record of a day. The price is sure by an open, valid feed alone, and by the last close of a
 * closed market (`PriceWord` says how old that may be): a limit needs no price to trade at, and the
 * record may only raise it. With a broken feed, or none, its owner is asked up to a bound; null
 * where no price is known.
 */
async function priceOf(options: TokenSourceOptions, asset: Asset): Promise<TokenPrice | null> {
	const word = await options.reference.word(asset);
	if (word.kind === "open") return { kind: "sure", microsPerUnit: word.microsPerUnit };
	const close = word.kind === "closed" ? word.microsPerUnit : null;
	const last = word.kind === "broken" ? word.lastMicros : close;
	// An owner is asked for so much at most, at that price: its pools have to have held that.
	const askedMicrosMax = options.unpricedUsdMicrosMax;
	const whole = 10n ** BigInt(asset.decimals);
	const recorded = await recordedMicros(options, asset, (micros) =>
		micros === 0n ? 0n : mulDiv(askedMicrosMax, whole, micros, "up"),
	);
	const [highest] = [last, recorded]
		.filter((micros) => micros !== null)
		.toSorted((one, other) => (one > other ? -1 : 1));
	if (highest === undefined) return null;
	if (close !== null) return { kind: "sure", microsPerUnit: highest };
	return { kind: "unsure", microsPerUnit: highest, askedMicrosMax };
}
