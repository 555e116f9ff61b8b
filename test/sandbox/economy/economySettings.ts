import { zeroAddress } from "viem";
import { keeperWallet } from "../custody/people/keeperWallet.ts";
import { stockAddresses } from "../stocks/stockAddresses.ts";
import { economyAddresses, tapePools } from "./describeEconomy.ts";

/** What a service must be told of the token's economy beside where its chain is. */
export type EconomySettings = {
	/** TOKEN_ADDRESS, REVENUE_ROUTER_ADDRESS, BUYBACK_BURN_ADDRESS */
	token: string;
	router: string;
	burner: string;
	/** BUYBACK_WALLET_ID */
	keeperWalletId: string;
	/** BUYBACK_CURRENCIES: what revenue comes in. */
	currencies: string[];
	/** The token's pools, of the shape of TRADE_POOLS_JSON. */
	pools: { address: string; tokens: [string, string]; fee: number }[];
};

/** Returns the same for each sandbox: everything stands where it always does. */
export function economySettings(): EconomySettings {
	const { token, router, burner } = economyAddresses;
	const pools = tapePools.map(({ address, token0, token1, fee }) => {
		const tokens: [string, string] = [token0.toLowerCase(), token1.toLowerCase()];
		return { address: address.toLowerCase(), tokens, fee };
	});
	const small = (address: string): string => address.toLowerCase();
	return {
		...{ token: small(token), router: small(router), burner: small(burner), pools },
		keeperWalletId: keeperWallet().id,
		currencies: [zeroAddress, small(stockAddresses.usdg)],
	};
}
