import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { Clock } from "#core/clock/Clock.ts";
import type { Queryable } from "#core/db/Database.ts";
import { readHoldings } from "#plugins/trading/holdings.ts";
import type { References } from "#plugins/trading/prices/createReference.ts";
import type { Asset, Assets } from "#plugins/trading/registry/Asset.ts";
import { assetOf } from "#plugins/trading/registry/createAssets.ts";
import { type HoldingsAnswer, renderHoldings } from "#plugins/trading/renderHoldings.ts";
import { assetRows } from "#plugins/trading/sql/assetRows.ts";
import type { Profile } from "#plugins/wallets/contract.ts";

export type PortfolioOptions = {
	db: Queryable;
	clock: Clock;
	rpc: Rpc;
	chain: { id: number; slug: string };
	assets: Pick<Assets, "read">;
	reference: Pick<References, "last">;
};

/** Returns what a profile's wallets hold. */
export type Portfolio = (
	profile: Profile,
	asked: { signal: AbortSignal; only?: Address | undefined },
) => Promise<HoldingsAnswer>;

/**
 * Makes the function that reads a profile's holdings: the chain's coin and every token of the
 * registry that was not rejected, including those that are no longer traded; or one of them.
 */
export function createPortfolio(options: PortfolioOptions): Portfolio {
	const { db, clock, rpc, chain, assets, reference } = options;
	return async ({ wallets }, { signal, only }) => {
		const coin = await assets.read(db, ZERO_ADDRESS);
		const rows = await assetRows.all(db, chain.id);
		const listed = rows.filter(({ status }) => status !== "rejected").map(assetOf);
		const asked = [coin, ...listed].filter((asset): asset is Asset => {
			return asset !== null && (only === undefined || asset.address === only);
		});
		const deps = { rpc, reference };
		const holdings = await readHoldings(deps, { wallets, assets: asked, signal });
		return renderHoldings(holdings, { chain: chain.slug, nowMs: clock.nowMs() });
	};
}
