import type { Chain } from "#core/chain/Chain.ts";
import type { Address } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { Clock } from "#core/clock.ts";
import type { Database, Queryable } from "#core/db/Database.ts";
import type { Log } from "#core/log.ts";
import type { Prices } from "#plugins/prices/contract.ts";
import type { BuybackBounds } from "#plugins/tokenomics/buyback/buybackConfig.ts";
import type { Wallets } from "#plugins/wallets/contract.ts";

/** The contracts that a run is about, all of them there. */
export type BuybackContracts = { token: Address; router: Address; burner: Address };

/** What buying back is made of and with. */
export type BuybackDeps = {
	clock: Clock;
	log: Log;
	db: Database;
	rpc: Pick<Rpc, "settle">;
	chain: Chain;
	wallets: Pick<Wallets, "execution" | "deploymentProfile">;
	prices: Pick<Prices, "usdRate">;
	/** Uniswap's QuoterV2; its factory is the one whose pools are bought through. */
	quoter: Address;
	currencies: readonly Address[];
	bounds: BuybackBounds;
	isEnabled: boolean;
	/** The wallet provider's id of the keeper's wallet. */
	walletId: string | null;
	/** The contracts in force; null where the token is not launched. */
	contractsNow(db: Queryable): Promise<{
		token: Address;
		router: Address | null;
		burner: Address | null;
	} | null>;
};
