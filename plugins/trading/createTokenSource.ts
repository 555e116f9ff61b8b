import type { Address } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { References } from "#plugins/trading/prices/createReference.ts";
import { type Assets, assetOf } from "#plugins/trading/registry/createAssets.ts";
import { assetRows } from "#plugins/trading/sql/assets.ts";
import type { TokenSource } from "#plugins/wallets/contract.ts";

export type TokenSourceOptions = {
	db: Queryable;
	chainId: number;
	assets: Pick<Assets, "pools">;
	reference: Pick<References, "last">;
	/** The contracts that trades go through, each with what it is: "the swap router". */
	contracts: ReadonlyMap<Address, string>;
};

/**
 * Tells other plugins what the registry knows of tokens, and of the contracts of trading. A token
 * that was rejected has no symbol and no price here: its ticker may be another's. Its contract is
 * one all the same.
 */
export function createTokenSource(options: TokenSourceOptions): TokenSource {
	const { db, chainId, assets, reference, contracts } = options;
	const read = async (token: Address) => {
		const row = await assetRows.read(db, chainId, token);
		return row === null || row.status === "rejected" ? null : assetOf(row);
	};
	return {
		chainId,
		symbolOf: async (token) => (await read(token))?.symbol ?? null,
		async priceOf(token) {
			const asset = await read(token);
			const price = asset && (await reference.last(asset));
			return price ? { kind: "sure", microsPerUnit: price.microsPerUnit } : null;
		},
		async contractNamed(address) {
			const named = contracts.get(address);
			if (named !== undefined) return named;
			if (assets.pools().some((pool) => pool.address === address)) return "a pool of the exchange";
			const row = await assetRows.read(db, chainId, address);
			return row && `the contract of the token ${row.symbol}`;
		},
	};
}
